"""A marketplace: the customer pays on the service's page, and the seller gets a share to their phone."""

import base64, hashlib, hmac, http.client, json, logging, os, threading, time
import urllib.request

from flask import Flask, request
from werkzeug.serving import make_server

BASE_URL, API_KEY = os.environ["PAYMENTS_BASE_URL"], os.environ["PAYMENTS_API_KEY"]
SECRET = base64.b64decode(os.environ["PAYMENTS_WEBHOOK_SECRET"].removeprefix("whsec_"))

PRICING = {"base_currency": "KES", "amount": "1105.10"}
SHARE = "994.59"
WALLET = {"type": "mobile_money", "currency": "KES", "provider": "simba_pesa"}
UNPAID = {"charge.failed": "failed", "charge.cancelled": "cancelled", "charge.expired": "expired"}

orders = {}  # a table in production
app = Flask(__name__)


def payments(method, path, body=None, headers={}):
    headers = {"authorization": f"Bearer {API_KEY}", "content-type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    call = urllib.request.Request(f"{BASE_URL}/api/v1{path}", data, headers, method=method)
    with urllib.request.urlopen(call, timeout=30) as response:
        return json.load(response)


def is_signed(headers, body):
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    digest = hmac.new(SECRET, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    is_known = any(hmac.compare_digest(expected, one) for one in headers.get("webhook-signature", "").split())
    return is_known and abs(time.time() - int(sent_at)) < 300


def pay_seller(order):
    if "destination_id" not in order:
        wallet = {**WALLET, "phone_number": order["seller"]}
        order["destination_id"] = payments("POST", "/payouts/destinations", wallet)["destination_id"]
    withdrawal = {"destination_id": order["destination_id"], "amount": SHARE, "currency": "KES"}
    payments("POST", "/payouts/withdrawals", withdrawal, {"idempotency-key": order["id"]})


def handle(order, event):
    if event["type"] == "charge.refunded":
        order["status"] = "refunded"
    elif event["type"] == "charge.completed" and order["status"] != "refunded":
        pay_seller(order)
        order["status"] = "paid"
    elif event["type"] in UNPAID and order["status"] == "pending":
        order["status"] = UNPAID[event["type"]]


@app.post("/orders")
def place_order():
    wish = request.get_json()
    order = {"id": wish["order"], "seller": wish["seller"], "status": "pending", "events": set()}
    order = orders.setdefault(wish["order"], {**order, "lock": threading.Lock()})
    with order["lock"]:  # two presses are one checkout
        if "checkout_id" not in order:
            body = {"pricing": PRICING, "customer_email": wish["email"], "metadata": {"order": order["id"]}}
            checkout = payments("POST", "/payments/checkouts", body)
            order.update(charge_id=checkout["charge_id"], checkout_id=checkout["checkout_id"])
    return {"checkout_id": order["checkout_id"]}, 201


@app.get("/orders/<key>")
def show_order(key):
    order = orders.get(key)
    return {"status": order["status"]} if order else ({"error": "not found"}, 404)


@app.post("/webhooks")
def webhooks():
    body = request.get_data()
    if not is_signed(request.headers, body):
        return {"error": "bad signature"}, 400
    event = json.loads(body)
    charge = event["data"]
    order = orders.get((charge.get("metadata") or {}).get("order"))
    if order is None or order.get("charge_id") != charge["charge_id"]:
        return {}  # not one of ours
    with order["lock"]:
        if event["id"] in order["events"]:
            return {}  # a duplicate
        handle(order, event)
        order["events"].add(event["id"])
    return {}


@app.errorhandler(OSError)
@app.errorhandler(http.client.HTTPException)
def unavailable(error):
    return {"error": str(error)}, 503


logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = make_server("127.0.0.1", int(os.environ.get("PORT", "3000")), app, threaded=True)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
