<?php
// PHP. Money that comes after the order was given up is paid back by one payout, whose key makes it safe to repeat.
class Unavailable extends Exception {}

function api($method, $path, $body = null, $headers = []) {
    $headers = ["authorization: Bearer " . getenv("PAYMENTS_API_KEY"), "content-type: application/json", ...$headers];
    $options = ["method" => $method, "header" => $headers, "ignore_errors" => true, "timeout" => 60];
    if ($body !== null) $options["content"] = json_encode($body);
    for ($attempt = 0; $attempt < 3; $attempt++) {
        if ($attempt > 0) usleep(50_000 << $attempt);
        $http_response_header = [];
        $text = @file_get_contents(getenv("PAYMENTS_BASE_URL") . "/api/v1/$path", false, stream_context_create(["http" => $options]));
        preg_match('{^HTTP/\S+ (\d+)}', $http_response_header[0] ?? "", $status);
        $answer = $text === false ? null : json_decode($text, true);
        if (($status[1] ?? 0) == 200 && $answer !== null) return $answer;
        if (($status[1] ?? 500) < 500 && ($status[1] ?? 500) != 429 && $answer !== null) break;
    }
    throw new Unavailable($path);
}

/** Runs $work with the order, alone, and stores what it makes of it. */
function with_order($id, $work) {
    $file = fopen(getenv("APP_DATA") . "/" . rawurlencode($id) . ".json", "c+");
    flock($file, LOCK_EX);
    $order = json_decode(stream_get_contents($file), true) ?? ["id" => $id, "status" => "new", "delivered" => 0, "paid_back" => 0];
    $save = function () use ($file, &$order) {
        rewind($file);
        ftruncate($file, 0);
        fwrite($file, json_encode($order));
        fflush($file);
    };
    try {
        return $work($order, $save);
    } finally {
        $save();
        fclose($file);
    }
}

function answer($status, $value) {
    http_response_code($status);
    header("content-type: application/json");
    echo json_encode($value, JSON_FORCE_OBJECT);
}

function learn(&$order, $save) {
    if (!isset($order["charge_id"])) return;
    if ($order["status"] === "pay_back") return pay_back($order);
    if ($order["status"] === "paid" || $order["status"] === "paid_back") return;
    $charge = api("GET", "payments/charges/" . $order["charge_id"]);
    $isLost = in_array($charge["status"], ["FAILED", "CANCELLED", "EXPIRED"]);
    if ($isLost) $order["status"] = "given_up";
    if ($charge["status"] !== "COMPLETED") return;
    // The goods are kept for the time of the checkout only.
    $wasLate = in_array("EXPIRED", array_column($charge["status_history"], "status"));
    if ($order["status"] !== "given_up" && !$wasLate) {
        $order["status"] = "paid";
        $order["delivered"] += 1;
        return;
    }
    $order["status"] = "pay_back";
    $order["back"] = ["amount" => $charge["settlement_amount"], "currency" => $charge["currency"]];
    $save();
    pay_back($order);
}

function pay_back(&$order) {
    $wallet = ["type" => "mobile_money", "currency" => "KES", "provider" => "simba_pesa", "phone_number" => $order["phone"]];
    $order["destination_id"] ??= api("POST", "payouts/destinations", $wallet)["destination_id"];
    $body = [...$order["back"], "destination_id" => $order["destination_id"], "reference" => "back " . $order["id"]];
    api("POST", "payouts/withdrawals", $body, ["idempotency-key: back-" . $order["id"]]);
    $order["status"] = "paid_back";
    $order["paid_back"] = 1;
}

function is_signed($body) {
    $sentAt = $_SERVER["HTTP_WEBHOOK_TIMESTAMP"] ?? "";
    if (!ctype_digit($sentAt) || abs(time() - (int) $sentAt) > 300) return false;
    $secret = base64_decode(substr(getenv("PAYMENTS_WEBHOOK_SECRET"), strlen("whsec_")));
    $signed = ($_SERVER["HTTP_WEBHOOK_ID"] ?? "") . ".$sentAt.$body";
    $expected = "v1," . base64_encode(hash_hmac("sha256", $signed, $secret, true));
    foreach (explode(" ", $_SERVER["HTTP_WEBHOOK_SIGNATURE"] ?? "") as $one) if (hash_equals($expected, $one)) return true;
    return false;
}

function handle($method, $path, $body) {
    if ($method === "POST" && $path === "/orders") {
        $wish = json_decode($body, true);
        $checkoutId = with_order($wish["id"], function (&$order) use ($wish) {
            if (!isset($order["charge_id"])) {
                $pricing = ["base_currency" => "KES", "amount" => "1105.10"];
                $metadata = ["order" => $wish["id"]];
                $checkout = api("POST", "payments/checkouts", ["pricing" => $pricing, "customer_email" => $wish["email"], "metadata" => $metadata, "payment_methods" => ["mobile_money"]]);
                $order = [...$order, "status" => "pending", "phone" => $wish["phone"], "charge_id" => $checkout["charge_id"], "checkout_id" => $checkout["checkout_id"]];
            }
            return $order["checkout_id"];
        });
        return answer(201, ["checkout_id" => $checkoutId]);
    }
    if ($method === "GET" && preg_match('{^/orders/([^/]+)$}', $path, $found)) {
        $text = @file_get_contents(getenv("APP_DATA") . "/" . rawurlencode(rawurldecode($found[1])) . ".json");
        $order = $text ? json_decode($text, true) : null;
        return $order ? answer(200, ["status" => $order["status"], "delivered" => $order["delivered"]]) : answer(404, []);
    }
    if ($path === "/tick") {
        foreach (glob(getenv("APP_DATA") . "/*.json") as $file) {
            try {
                with_order(rawurldecode(basename($file, ".json")), learn(...));
            } catch (Unavailable) {
            }
        }
        return answer(200, []);
    }
    if ($path !== "/webhooks") return answer(404, []);
    if (!is_signed($body)) return answer(400, []);
    $data = json_decode($body, true)["data"];
    $id = $data["metadata"]["order"] ?? null;
    if ($id !== null && is_file(getenv("APP_DATA") . "/" . rawurlencode($id) . ".json"))
        with_order($id, function (&$order, $save) use ($data) {
            if (($order["charge_id"] ?? null) === $data["charge_id"]) learn($order, $save);
        });
    answer(200, []);
}

try {
    handle($_SERVER["REQUEST_METHOD"], parse_url($_SERVER["REQUEST_URI"], PHP_URL_PATH), file_get_contents("php://input"));
} catch (Unavailable) {
    answer(503, []);
}
