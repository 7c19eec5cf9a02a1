# The standard library alone. With "threads" each connection has a thread and HTTP is 1.1; else 1.0, one by one.
import base64, hashlib, hmac, json, os, sys, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["PAYMENTS_WEBHOOK_SECRET"].removeprefix("whsec_"))
handled, orders, lock = set(), {}, threading.Lock()

def is_genuine(headers, body):
    at = headers.get("webhook-timestamp", "")
    if not at.isdecimal() or abs(time.time() - int(at)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, one) for one in given)

def read_charge(charge_id):
    url = f"{os.environ['PAYMENTS_SANDBOX_URL']}/api/v1/payments/charges/{charge_id}"
    request = urllib.request.Request(url, headers={"authorization": f"Bearer {os.environ['PAYMENTS_API_KEY']}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise

def handle(event):
    charge_id = event["data"].get("charge_id")
    charge = read_charge(charge_id) if charge_id else None
    if charge:
        order = orders.setdefault(charge_id, {"id": len(orders) + 1, "lines": []})
        if charge["status"] == "COMPLETED" and not order["lines"]:
            order["lines"].append({"paid": charge["settlement_amount"], "at": time.time()})

class Receiver(BaseHTTPRequestHandler):
    def answer(self, status, text=""):
        self.send_response(status)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not is_genuine(self.headers, body):
            return self.answer(400, "bad signature")
        event = json.loads(body)
        with lock:
            if event["id"] in handled:
                return self.answer(200, "seen")
            try:
                handle(event)
            except Exception:
                return self.answer(503, "later")
            handled.add(event["id"])
        self.answer(200, "done")

    def log_message(self, *_):
        pass

kind = ThreadingHTTPServer if "threads" in sys.argv else HTTPServer
kind.request_queue_size = 64
if "threads" in sys.argv:
    Receiver.protocol_version = "HTTP/1.1"
server = kind(("127.0.0.1", 0), Receiver)
print(server.server_address[1], flush=True)
server.serve_forever()
