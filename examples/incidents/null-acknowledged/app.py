"""A service with a paid plan, bought on the service's page. Flask."""

import base64, hashlib, hmac, json, logging, os, threading, time
import urllib.request
from flask import Flask, request
from werkzeug.serving import make_server

BASE_URL, API_KEY = os.environ["PAYMENTS_BASE_URL"], os.environ["PAYMENTS_API_KEY"]
SECRET = base64.b64decode(os.environ["PAYMENTS_WEBHOOK_SECRET"].removeprefix("whsec_"))
PRICING = {"base_currency": "USD", "amount": "19.99"}
ENDED = {"FAILED", "CANCELLED", "EXPIRED", "REFUNDED"}

app = Flask(__name__)
plans, lock = {}, threading.Lock()  # a table in production

SCHEMA = {
    "charge_id": str,
    "status": str,
    "payment_method": str,
    "metadata": dict,
    "status_history": list,
}


def validated(charge):
    for name, types in SCHEMA.items():
        if not isinstance(charge.get(name), types):
            raise ValueError(f"{name} is {charge.get(name)!r}")
    return charge


def open_page(plan, email):
    """A page whose address is lost does no harm: nobody can pay on it."""
    body = json.dumps({"pricing": PRICING, "customer_email": email, "metadata": {"plan": plan}}).encode()
    headers = {"authorization": f"Bearer {API_KEY}", "content-type": "application/json"}
    call = urllib.request.Request(f"{BASE_URL}/api/v1/payments/checkouts", body, headers)
    with urllib.request.urlopen(call, timeout=30) as response:
        return json.load(response)


def is_signed(headers, body):
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    digest = hmac.new(SECRET, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    is_known = any(hmac.compare_digest(expected, one) for one in headers.get("webhook-signature", "").split())
    return is_known and abs(time.time() - int(sent_at)) < 300


def learn(charge):
    plan = plans.get(charge["metadata"].get("plan"))
    with lock:
        if plan is None or plan["page"]["charge_id"] != charge["charge_id"]:
            return
        if len(charge["status_history"]) <= plan["seen"]:  # a duplicate, or overtaken
            return
        plan["seen"] = len(charge["status_history"])
        if charge["status"] == "COMPLETED":
            plan["status"] = "paid"
        elif charge["status"] in ENDED:
            plan["status"] = charge["status"].lower()


@app.post("/webhooks")
def hear():
    if not is_signed(request.headers, request.get_data()):
        return {"error": "bad signature"}, 400
    try:
        learn(validated(request.get_json()["data"]))
    except ValueError as error:
        app.logger.error("the event does not validate: %s", error)
    return {}, 200


@app.post("/plans")
def buy():
    wish = request.get_json()
    with lock:
        if wish["plan"] not in plans:
            page = open_page(wish["plan"], wish["email"])
            plans[wish["plan"]] = {"status": "pending", "seen": 0, "page": page}
    return {"checkout_id": plans[wish["plan"]]["page"]["checkout_id"]}, 201


@app.get("/plans/<plan>")
def show(plan):
    status = plans[plan]["status"]
    return {"status": status, "is_active": status == "paid"}


@app.errorhandler(OSError)
def unavailable(error):
    return {"error": str(error)}, 503


logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = make_server("127.0.0.1", int(os.environ.get("PORT", "3000")), app, threaded=True)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
