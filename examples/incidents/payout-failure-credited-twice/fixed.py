"""A marketplace: sellers are paid out, and get the money back when a payout fails."""

import base64, hashlib, hmac, http.client, json, os, threading, time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BASE_URL, API_KEY = os.environ["PAYMENTS_BASE_URL"], os.environ["PAYMENTS_API_KEY"]
SECRET = base64.b64decode(os.environ["PAYMENTS_WEBHOOK_SECRET"].removeprefix("whsec_"))

WALLET = {"type": "mobile_money", "currency": "KES", "provider": "simba_pesa"}

sellers, payouts = {}, {}  # tables in production
lock = threading.Lock()


def payments(method, path, body=None, headers={}):
    headers = {"authorization": f"Bearer {API_KEY}", "content-type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{BASE_URL}/api/v1{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def is_signed(headers, body):
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    digest = hmac.new(SECRET, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    is_known = any(hmac.compare_digest(expected, one) for one in headers.get("webhook-signature", "").split())
    return is_known and abs(time.time() - int(sent_at)) < 300


def request_payout(key, seller, amount, phone):
    with lock:
        if key not in payouts:
            if sellers.setdefault(seller, {"balance": 1000})["balance"] < amount:
                return 409, {"error": "not enough"}
            sellers[seller]["balance"] -= amount
            payout = {"id": key, "seller": seller, "amount": amount, "phone": phone, "status": "requested"}
            payouts[key] = {**payout, "lock": threading.Lock()}
    with payouts[key]["lock"]:  # two presses are one payout
        send(payouts[key])
    return 201, {"payout": key}


def send(payout):
    if "destination_id" not in payout:
        wallet = {**WALLET, "phone_number": payout["phone"]}
        payout["destination_id"] = payments("POST", "/payouts/destinations", wallet)["destination_id"]
    terms = {"amount": f"{payout['amount']}.00", "currency": "KES", "reference": payout["id"]}
    withdrawal = {"destination_id": payout["destination_id"], **terms}
    sent = payments("POST", "/payouts/withdrawals", withdrawal, {"idempotency-key": payout["id"]})
    payout["withdrawal_id"] = sent["withdrawal_id"]


def settle(payout, status):
    if status == "COMPLETED":
        payout["status"] = "paid"
    elif status == "FAILED":
        with lock:
            if payout["status"] == "failed":
                return
            sellers[payout["seller"]]["balance"] += payout["amount"]
            payout["status"] = "failed"


def check_open_payouts():
    """The hourly job: a webhook may be late."""
    for payout in list(payouts.values()):
        if payout["status"] != "requested" or "withdrawal_id" not in payout:
            continue
        try:
            status = payments("GET", f"/payouts/withdrawals/{payout['withdrawal_id']}")["status"]
        except OSError:
            continue  # the next hour tries again
        settle(payout, status)
    return 200, {}


def post(path, body):
    if path == "/payouts":
        return request_payout(body["payout"], body["seller"], body["amount"], body["phone"])
    if path == "/jobs/payouts":
        return check_open_payouts()
    payout = payouts.get(body["data"].get("reference"))
    if payout:
        settle(payout, body["data"]["status"])
    return 200, {}


def get(key):
    seller = sellers.get(key)
    return (200, seller) if seller else (404, {"error": "not found"})


class App(BaseHTTPRequestHandler):
    wbufsize = -1  # a response is one packet

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            if self.path == "/webhooks" and not is_signed(self.headers, body):
                return self.answer(400, {"error": "bad signature"})
            self.answer(*post(self.path, json.loads(body or "{}")))
        except (OSError, http.client.HTTPException) as error:
            self.answer(503, {"error": str(error)})

    def do_GET(self):
        self.answer(*get(self.path.rpartition("/")[2]))

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), App)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
