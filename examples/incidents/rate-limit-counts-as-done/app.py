"""A shop: a webhook leaves a job, and a worker that runs every minute reads the charge."""

import base64, hashlib, hmac, http.client, json, logging, os, threading, time
import urllib.error, urllib.request

from flask import Flask, request
from werkzeug.serving import make_server

BASE_URL, API_KEY = os.environ["PAYMENTS_BASE_URL"], os.environ["PAYMENTS_API_KEY"]
SECRET = base64.b64decode(os.environ["PAYMENTS_WEBHOOK_SECRET"].removeprefix("whsec_"))

PRICING = {"base_currency": "USD", "amount": "19.99"}
UNPAID = ("FAILED", "CANCELLED", "EXPIRED", "REFUNDED")
STATUS = {"COMPLETED": "paid", **{status: status.lower() for status in UNPAID}}

orders, jobs = {}, []  # tables in production
lock, worker = threading.Lock(), threading.Lock()
app = Flask(__name__)


class RateLimited(OSError):
    pass


def payments(method, path, body=None):
    headers = {"authorization": f"Bearer {API_KEY}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    call = urllib.request.Request(f"{BASE_URL}/api/v1/payments{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(call, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise RateLimited("too many calls") if error.code == 429 else error


def is_signed(headers, body):
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    digest = hmac.new(SECRET, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    is_known = any(hmac.compare_digest(expected, one) for one in headers.get("webhook-signature", "").split())
    return is_known and abs(time.time() - int(sent_at)) < 300


def sync(order, version):
    """Stores how the charge stands, which is as new as the event at least."""
    try:
        charge = payments("GET", f"/charges/{order['charge_id']}")
    except RateLimited:
        app.logger.warning("rate limited: order %s is not synced", order["id"])
        return
    if len(charge["status_history"]) < version:
        raise OSError("stale read")
    order["status"] = STATUS.get(charge["status"], "pending")


@app.post("/jobs/run")
def run_jobs():
    with worker:
        for job in [job for job in jobs if job["status"] == "open"]:
            try:
                sync(job["order"], job["version"])
                job["status"] = "done"
            except (OSError, http.client.HTTPException) as error:
                app.logger.warning("order %s: %s", job["order"]["id"], error)  # the next run tries again
    return {}


@app.post("/orders")
def place_order():
    wish = request.get_json()
    if wish["order"] not in orders:
        # A checkout whose response is lost does no harm: nobody has its address.
        body = {"pricing": PRICING, "customer_email": wish["email"], "metadata": {"order": wish["order"]}}
        checkout = payments("POST", "/checkouts", body)
        with lock:
            orders.setdefault(wish["order"], {**checkout, "id": wish["order"], "status": "pending"})
    return {"checkout_id": orders[wish["order"]]["checkout_id"]}, 201


@app.get("/orders/<key>")
def show_order(key):
    order = orders.get(key)
    return {"status": order["status"]} if order else ({"error": "not found"}, 404)


@app.post("/webhooks")
def webhooks():
    body = request.get_data()
    if not is_signed(request.headers, body):
        return {"error": "bad signature"}, 400
    charge = json.loads(body)["data"]
    order = orders.get((charge.get("metadata") or {}).get("order"))
    if order and order["charge_id"] == charge["charge_id"] and charge["status"] in STATUS:
        jobs.append({"order": order, "version": len(charge["status_history"]), "status": "open"})
    return {}, 202


@app.errorhandler(OSError)
@app.errorhandler(http.client.HTTPException)
def unavailable(error):
    return {"error": str(error)}, 503


logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = make_server("127.0.0.1", int(os.environ.get("PORT", "3000")), app, threaded=True)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
