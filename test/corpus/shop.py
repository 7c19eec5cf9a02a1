# The right shop of shop.ts, with the standard library alone; "acts_twice" acts on the same news twice.
# It prints the port it listens on. PAYMENTS_BASE_URL, PAYMENTS_API_KEY and PAYMENTS_WEBHOOK_SECRET say what it works with.
import base64, hashlib, hmac, itertools, json, os, sys, threading, time, urllib.error, urllib.request
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BASE, API_KEY = os.environ["PAYMENTS_BASE_URL"], os.environ["PAYMENTS_API_KEY"]
KEY = base64.b64decode(os.environ["PAYMENTS_WEBHOOK_SECRET"].removeprefix("whsec_"))
PATIENCE = float(os.environ.get("PATIENCE_MS", "2000")) / 1000
ACTS_TWICE = "acts_twice" in sys.argv
PRICING = {"base_currency": "KES", "amount": "500.00"}
STATUS = {"COMPLETED": "paid", "FAILED": "failed", "CANCELLED": "cancelled", "EXPIRED": "expired", "REFUNDED": "refunded"}
MARGIN = timedelta(minutes=1)  # how far behind what the service answers may be


class Refused(Exception):
    """The service has said no: nothing was done."""

    def __init__(self, status, error):
        super().__init__(f"refused with {status}")
        self.status, self.details = status, error.get("details", {})


class Unanswered(Exception):
    """No answer, or one that leaves open what was done."""


def call(method, path, body=None):
    headers = {"authorization": f"Bearer {API_KEY}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{BASE}/api/v1/payments/{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code >= 500:
            raise Unanswered(path) from error
        raise Refused(error.code, json.load(error)["error"]) from error
    except Exception as error:
        raise Unanswered(path) from error


def again(ask, *faults):
    try:
        return ask()
    except faults:
        return ask()


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class Order:
    def __init__(self, order_id, email, phone):
        self.id, self.email, self.phone = order_id, email, phone
        self.status, self.charge_id, self.amount, self.currency, self.delivered = "pending", None, None, None, 0
        self.known, self.since, self.open_until = {}, None, None
        self.turn, self.paying = threading.RLock(), threading.Lock()

    def row(self):
        shown = {name: getattr(self, name) for name in ("email", "charge_id", "status", "amount", "currency", "delivered")}
        return {"order": self.id, "metadata": {"order_id": self.id}, **shown}

    def pay(self):
        if self.paying.acquire(blocking=False):
            try:
                self.attempt()
            finally:
                self.paying.release()

    def attempt(self):
        wanted = {"pricing": PRICING, "payment_method": "mobile_money", "customer_email": self.email}
        quote = again(lambda: call("POST", "quotes", wanted), Unanswered, Refused)
        # A quote that has run out pays nothing, so a try ends with its quote.
        if self.open_until and instant(quote["created_at"]) < instant(self.open_until) + MARGIN:
            return
        self.since = self.since or quote["created_at"]
        self.open_until = quote["expires_at"]
        more = {"quote_id": quote["quote_id"], "phone_number": self.phone, "metadata": {"order_id": self.id}}
        try:
            charge = call("POST", "whitelabel", {**wanted, **more})
            if self.charge_id is None:
                self.charge_id, self.amount, self.currency = (charge[name] for name in ("charge_id", "amount", "currency"))
        except Unanswered:
            charge = self.look()
            if charge:
                self.learn(charge)
        except Refused as error:
            self.open_until = None
            if error.status == 400 and "quote_id" not in error.details:
                self.status = "failed"

    def look(self):
        for offset in itertools.count(0, 100):
            items = call("GET", f"payins?limit=100&offset={offset}")["items"]
            for item in items:
                if item["created_at"] < self.since:
                    return None
                charge = call("GET", f"charges/{item['charge_id']}")
                if charge["metadata"].get("order_id") == self.id:
                    return charge
            if len(items) < 100:
                return None

    def learn(self, news):
        """News of one of its charges, told or read, as often and in whatever order they come; one after the other."""
        with self.turn:
            charge_id, length = news["charge_id"], len(news["status_history"])
            known = self.known.get(charge_id, 0)
            if length < known or (length == known and not ACTS_TWICE):
                return
            if self.charge_id not in (None, charge_id) and (self.delivered or news["status"] != "COMPLETED"):
                return
            if news["status"] == "COMPLETED" and (ACTS_TWICE or not self.delivered):
                if call("GET", f"charges/{charge_id}")["status"] != "COMPLETED":
                    raise Unanswered("the books are behind")
                self.delivered += 1
            if news["status"] == "REFUNDED":
                self.delivered = 0
            self.charge_id, self.amount, self.currency = charge_id, news["amount"], news["currency"]
            self.status = STATUS.get(news["status"], "pending")
            self.known[charge_id] = length

    def look_after(self):
        if self.status not in ("pending", "expired") or self.delivered or self.paying.locked():
            return
        charge = call("GET", f"charges/{self.charge_id}") if self.charge_id else self.look() if self.since else None
        if charge:
            self.learn(charge)
        else:
            self.pay()


def kept(work, *given):
    """What cannot be done now is left to the timed job."""
    try:
        work(*given)
    except (Unanswered, Refused):
        pass


def is_genuine(headers, body):
    at = headers.get("webhook-timestamp", "")
    if not at.isdecimal() or abs(time.time() - int(at)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    return any(hmac.compare_digest(expected, one) for one in headers.get("webhook-signature", "").encode().split(b" "))


orders, placing = {}, threading.Lock()


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        if self.path == "/orders":
            return self.answer(200, {"orders": [order.row() for order in list(orders.values())]})
        order = orders.get(self.path.removeprefix("/orders/"))
        self.answer(200 if order else 404, order.row() if order else {"error": "not found"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/webhooks":
            return self.hear(body)
        if self.path == "/tick":
            for order in list(orders.values()):
                kept(order.look_after)
            return self.answer(200, {})
        wish = json.loads(body)
        with placing:
            order_id = wish.get("order", str(len(orders) + 1))
            is_new = order_id not in orders
            order = orders.setdefault(order_id, Order(order_id, wish["email"], wish.get("phone", "+254700000001")))
        if is_new:
            kept(order.pay)
        self.answer(201 if order.charge_id else 202, order.row())

    def hear(self, body):
        if not is_genuine(self.headers, body):
            return self.answer(400, {"error": "bad signature"})
        event = json.loads(body)
        order = orders.get(event["data"].get("metadata", {}).get("order_id"))
        if event["type"].startswith("charge.") and order:
            kept(order.learn, event["data"])
        self.answer(200, {})

    def log_message(self, *_):
        pass


ThreadingHTTPServer.request_queue_size = 64
server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
print(server.server_address[1], flush=True)
server.serve_forever()
