"""Python's standard library. Answers webhooks with 202; one thread works on them and repeats what failed after a pause."""

import base64, hashlib, hmac, json, os, queue, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BASE, KEY = os.environ["PAYMENTS_BASE_URL"], os.environ["PAYMENTS_API_KEY"]
SECRET = base64.b64decode(os.environ["PAYMENTS_WEBHOOK_SECRET"].removeprefix("whsec_"))
PRICING = {"base_currency": "KES", "amount": "1105.10"}
STATUS = {"COMPLETED": "paid", "FAILED": "failed", "CANCELLED": "cancelled", "EXPIRED": "expired"}
TRIES = 5
orders, jobs, registry = {}, queue.Queue(), threading.Lock()


class Unanswered(Exception):
    """No response, or one that does not tell whether the work was done."""


def api(method, path, body=None):
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{BASE}/api/v1/payments/{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        if error.code >= 500 or error.code == 429:
            raise Unanswered(path) from error
        raise
    except (OSError, ValueError) as error:
        raise Unanswered(path) from error
    except Exception as error:
        raise Unanswered(path) from error


def find_charge(order):
    for offset in range(0, 1_000_000, 100):
        items = api("GET", f"payins?limit=100&offset={offset}")["items"]
        for item in items:
            if item["created_at"] < order["since"]:
                return None
            charge = api("GET", f"charges/{item['charge_id']}")
            if charge["metadata"].get("order") == order["id"]:
                return charge
        if len(items) < 100:
            return None


def pay(order):
    wish = {"pricing": PRICING, "payment_method": "mobile_money", "customer_email": order["email"]}
    quote = api("POST", "quotes", wish)
    charge = find_charge(order) if order["since"] else None
    order["since"] = order["since"] or quote["created_at"]
    more = {"quote_id": quote["quote_id"], "phone_number": "+254700000001", "metadata": {"order": order["id"]}}
    order["charge"] = (charge or api("POST", "whitelabel", {**wish, **more}))["charge_id"]


def work_on(order):
    if order["status"] == "paid":
        return
    if order["charge"] is None:
        pay(order)
    status = STATUS.get(api("GET", f"charges/{order['charge']}")["status"], "pending")
    order["delivered"] += status == "paid"
    order["status"] = status


def worker():
    while True:
        order, attempt, done = jobs.get()
        try:
            work_on(order)
        except Exception:
            if attempt < TRIES:
                threading.Timer(0.2 * 2**attempt, jobs.put, [(order, attempt + 1, None)]).start()
        if done:
            done.set()


def is_signed(headers, body):
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:
        return False
    digest = hmac.new(SECRET, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = ("v1," + base64.b64encode(digest).decode()).encode()
    return any(hmac.compare_digest(expected, one.encode()) for one in headers.get("webhook-signature", "").split(" "))


class App(BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/orders":
            wish = json.loads(raw)
            with registry:
                is_new = wish["id"] not in orders
                order = orders.setdefault(wish["id"], {**wish, "status": "pending", "delivered": 0, "charge": None, "since": None})
            if is_new:
                jobs.put((order, 0, None))
            return self.answer(202, order)
        if self.path == "/tick":
            for order in list(orders.values()):
                done = threading.Event()
                jobs.put((order, TRIES, done))
                done.wait()
            return self.answer(200, {})
        if not is_signed(self.headers, raw):
            return self.answer(400, {})
        order = orders.get(json.loads(raw)["data"].get("metadata", {}).get("order"))
        if order:
            jobs.put((order, 0, None))
        self.answer(202, {})

    def do_GET(self):
        order = orders.get(self.path.removeprefix("/orders/"))
        self.answer(200 if order else 404, order or {})

    def answer(self, status, value):
        data = json.dumps({name: value[name] for name in ("status", "delivered") if name in value}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


threading.Thread(target=worker, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), App).serve_forever()
