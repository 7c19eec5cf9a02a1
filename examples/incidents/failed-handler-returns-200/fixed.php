<?php
// A chat with coins: they are bought on the service's page and credited when the webhook comes.
// Run it with: PHP_CLI_SERVER_WORKERS=8 php -S localhost:3000 app.php

const PRICING = ["base_currency" => "USD", "amount" => "19.99"];
const COINS = 2000;
const ENDS = [
    "charge.completed" => "paid",
    "charge.failed" => "failed",
    "charge.cancelled" => "cancelled",
    "charge.expired" => "expired",
    "charge.refunded" => "refunded",
];

class Unavailable extends Exception {}

function payments($method, $path, $body = null) {
    $headers = ["authorization: Bearer " . getenv("PAYMENTS_API_KEY"), "content-type: application/json"];
    $http = ["method" => $method, "header" => $headers, "ignore_errors" => true, "timeout" => 30];
    if ($body !== null) $http["content"] = json_encode($body);
    $url = getenv("PAYMENTS_BASE_URL") . "/api/v1/payments$path";
    $text = @file_get_contents($url, false, stream_context_create(["http" => $http]));
    if ($text === false || !str_contains($http_response_header[0], " 200")) throw new Unavailable("$method $path");
    return json_decode($text, true);
}

function file_of($id) {
    return (getenv("APP_DATA") ?: sys_get_temp_dir()) . "/top-up-" . rawurlencode($id) . ".json"; // a row in production
}

/** Runs $work with the top-up, alone, and stores what it makes of it. */
function with_top_up($id, $work) {
    $file = fopen(file_of($id), "c+");
    flock($file, LOCK_EX);
    $top_up = json_decode(stream_get_contents($file), true) ?? ["id" => $id, "status" => "pending", "coins" => 0];
    try {
        return $work($top_up);
    } finally {
        rewind($file);
        ftruncate($file, 0);
        fwrite($file, json_encode($top_up));
        fclose($file);
    }
}

function is_signed($body) {
    $sent_at = $_SERVER["HTTP_WEBHOOK_TIMESTAMP"] ?? "";
    if (!ctype_digit($sent_at) || abs(time() - (int) $sent_at) > 300) return false;
    $secret = base64_decode(substr(getenv("PAYMENTS_WEBHOOK_SECRET"), strlen("whsec_")));
    $signed = ($_SERVER["HTTP_WEBHOOK_ID"] ?? "") . ".$sent_at.$body";
    $expected = "v1," . base64_encode(hash_hmac("sha256", $signed, $secret, true));
    $signatures = explode(" ", $_SERVER["HTTP_WEBHOOK_SIGNATURE"] ?? "");
    return array_filter($signatures, fn($one) => hash_equals($expected, $one)) !== [];
}

function start_top_up($id, $email) {
    return with_top_up($id, function (&$top_up) use ($id, $email) {
        $request = ["pricing" => PRICING, "customer_email" => $email, "metadata" => ["top_up" => $id]];
        $top_up["checkout"] ??= payments("POST", "/checkouts", $request);
        return ["checkout_id" => $top_up["checkout"]["checkout_id"]];
    });
}

/** Credits what the service, not the webhook, says is paid. */
function handle($event) {
    $id = $event["data"]["metadata"]["top_up"] ?? null;
    if (!isset(ENDS[$event["type"]], $id) || !is_file(file_of($id))) return; // not one of ours
    with_top_up($id, function (&$top_up) use ($event) {
        $charge_id = $top_up["checkout"]["charge_id"];
        if ($charge_id !== $event["data"]["charge_id"]) return;
        $charge = payments("GET", "/charges/$charge_id");
        if (count($charge["status_history"]) < count($event["data"]["status_history"])) throw new Unavailable("stale read");
        $top_up["status"] = ENDS["charge." . strtolower($charge["status"])] ?? "pending";
        $top_up["coins"] = $top_up["status"] === "paid" ? COINS : 0;
    });
}

function answer($status, $body) {
    http_response_code($status);
    header("content-type: application/json");
    echo json_encode($body, JSON_FORCE_OBJECT);
}

function webhook($body) {
    if (!is_signed($body)) return answer(400, ["error" => "bad signature"]);
    try {
        handle(json_decode($body, true));
    } catch (Throwable $error) {
        error_log("webhook failed: " . $error->getMessage());
        return answer(500, ["error" => "try again"]);
    }
    answer(200, ["received" => true]);
}

function route($method, $path, $body) {
    if ($path === "/webhooks") return webhook($body);
    if ($method === "POST" && $path === "/top-ups") {
        ["top_up" => $id, "email" => $email] = json_decode($body, true);
        return answer(201, start_top_up($id, $email));
    }
    $id = rawurldecode(basename($path));
    if (!is_file(file_of($id))) return answer(404, ["error" => "not found"]);
    with_top_up($id, fn($top_up) => answer(200, ["status" => $top_up["status"], "coins" => $top_up["coins"]]));
}

try {
    route($_SERVER["REQUEST_METHOD"], $_SERVER["REQUEST_URI"], file_get_contents("php://input"));
} catch (Unavailable $error) {
    answer(503, ["error" => $error->getMessage()]);
}
