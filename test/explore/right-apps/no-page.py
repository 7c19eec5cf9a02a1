"""Python and SQLite. Shows no page: `python3 no-page.py show ORDER` prints what the database holds."""

import base64, hashlib, hmac, json, os, sqlite3, sys, time, urllib.error, urllib.request
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FINAL = {"COMPLETED": "paid", "FAILED": "failed", "CANCELLED": "cancelled", "EXPIRED": "expired", "REFUNDED": "refunded"}
TABLES = """
CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, status TEXT DEFAULT 'pending', charge_id TEXT UNIQUE, checkout_id TEXT);
CREATE TABLE IF NOT EXISTS deliveries (order_id TEXT PRIMARY KEY REFERENCES orders);
"""


class Unavailable(Exception):
    """The service gave no usable response."""


def database():
    """Each use has a connection of its own; `with` it is one transaction."""
    connection = sqlite3.connect(os.path.join(os.environ["APP_DATA"], "shop.db"), timeout=30)
    connection.row_factory = sqlite3.Row
    return closing(connection)


def find(column, value):
    with database() as db:
        return db.execute(f"SELECT * FROM orders WHERE {column} = ?", [value]).fetchone()


def api(method, path, body=None):
    headers = {"authorization": f"Bearer {os.environ['PAYMENTS_API_KEY']}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(3):
        try:
            url = f"{os.environ['PAYMENTS_BASE_URL']}/api/v1/payments/{path}"
            call = urllib.request.Request(url, data, headers, method=method)
            with urllib.request.urlopen(call, timeout=60) as response:
                return json.load(response)
        except Exception as error:
            is_refused = isinstance(error, urllib.error.HTTPError) and error.code < 500 and error.code != 429
            if is_refused or attempt == 2:
                raise Unavailable(path) from error
            time.sleep(0.05 * 2**attempt)


def place(wish):
    with database() as db, db:
        db.execute("INSERT OR IGNORE INTO orders (id) VALUES (?)", [wish["id"]])
    order = find("id", wish["id"])
    if order["charge_id"] is None:
        pricing = {"base_currency": "KES", "amount": "1105.10"}
        made = api("POST", "checkouts", {"pricing": pricing, "customer_email": wish["email"], "metadata": {"order": wish["id"]}})
        # Of two requests at once the first counts. Nobody has the address of the other's page.
        with database() as db, db:
            ids = [made["charge_id"], made["checkout_id"], wish["id"]]
            db.execute("UPDATE orders SET charge_id = ?, checkout_id = ? WHERE id = ? AND charge_id IS NULL", ids)
        order = find("id", wish["id"])
    return {"checkout_id": order["checkout_id"]}


def learn(order):
    status = FINAL.get(api("GET", f"charges/{order['charge_id']}")["status"])
    with database() as db, db:
        if status == "refunded":
            db.execute("UPDATE orders SET status = 'refunded' WHERE id = ?", [order["id"]])
        elif status == "paid":
            is_new = db.execute("UPDATE orders SET status = 'paid' WHERE id = ? AND status NOT IN ('paid', 'refunded')", [order["id"]]).rowcount
            if is_new:
                db.execute("INSERT INTO deliveries VALUES (?)", [order["id"]])
        elif status:
            db.execute("UPDATE orders SET status = ? WHERE id = ? AND status = 'pending'", [status, order["id"]])


def run_job():
    with database() as db:
        orders = db.execute("SELECT * FROM orders WHERE charge_id IS NOT NULL AND status != 'refunded' ORDER BY rowid DESC LIMIT 4").fetchall()
    for order in orders:
        learn(order)


def is_signed(headers, body):
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:
        return False
    key = base64.b64decode(os.environ["PAYMENTS_WEBHOOK_SECRET"].removeprefix("whsec_"))
    digest = hmac.new(key, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(expected, one.encode()) for one in headers.get("webhook-signature", "").split(" "))


class App(BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            self.answer(*self.respond(raw))
        except Unavailable:
            self.answer(503, {})

    def respond(self, raw):
        if self.path == "/orders":
            return 201, place(json.loads(raw))
        if self.path == "/tick":
            run_job()
            return 200, {}
        if self.path != "/webhooks":
            return 404, {}
        if not is_signed(self.headers, raw):
            return 400, {}
        order = find("charge_id", json.loads(raw)["data"].get("charge_id"))
        if order:
            learn(order)
        return 200, {}

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


if sys.argv[1:2] == ["show"]:
    order = find("id", sys.argv[2])
    with database() as db:
        delivered = db.execute("SELECT count(*) FROM deliveries WHERE order_id = ?", [sys.argv[2]]).fetchone()[0]
    print(json.dumps({"status": order["status"], "delivered": delivered} if order else None))
else:
    with database() as db:
        db.executescript(TABLES)
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), App).serve_forever()
