<?php
// A shop whose paid orders go to the warehouse. Each time a customer goes to pay, a page of the service opens.
// Run it with: PHP_CLI_SERVER_WORKERS=8 php -S localhost:3000 app.php

function payments($path, $body) {
    $key = getenv("PAYMENTS_API_KEY");
    $context = stream_context_create(["http" => [
        "method" => "POST",
        "header" => ["authorization: Bearer $key", "content-type: application/json"],
        "content" => json_encode($body),
    ]]);
    $text = @file_get_contents(getenv("PAYMENTS_BASE_URL") . "/api/v1/payments$path", false, $context);
    $answer = $text === false ? null : json_decode($text, true);
    if ($answer === null) throw new RuntimeException("POST $path failed");
    return $answer;
}

/** Runs $work with the order, one request at a time, and stores what it makes of it. */
function with_order($id, $work) {
    $file = fopen((getenv("APP_DATA") ?: sys_get_temp_dir()) . "/" . rawurlencode($id) . ".json", "c+");
    flock($file, LOCK_EX);
    $order = json_decode(stream_get_contents($file), true);
    $answer = $work($order);
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, json_encode($order));
    fclose($file);
    return $answer;
}

function is_signed($body) {
    $id = $_SERVER["HTTP_WEBHOOK_ID"] ?? "";
    $sent_at = $_SERVER["HTTP_WEBHOOK_TIMESTAMP"] ?? "";
    $secret = base64_decode(substr(getenv("PAYMENTS_WEBHOOK_SECRET"), strlen("whsec_")));
    $expected = "v1," . base64_encode(hash_hmac("sha256", "$id.$sent_at.$body", $secret, true));
    $signatures = explode(" ", $_SERVER["HTTP_WEBHOOK_SIGNATURE"] ?? "");
    $known = array_filter($signatures, fn($one) => hash_equals($expected, $one));
    return $known !== [] && abs(time() - (int) $sent_at) < 300;
}

function place(&$order, $email) {
    $order ??= ["email" => $email, "status" => "pending", "paid" => false, "seen" => []];
    return [201, ["status" => $order["status"]]];
}

function go_to_pay($id, &$order) {
    if ($order === null) return [404, []];
    if ($order["paid"]) return [409, ["error" => "already paid"]];
    // A page whose address is lost does no harm: nobody can pay on it.
    $page = payments("/checkouts", [
        "pricing" => ["base_currency" => "USD", "amount" => "19.99"],
        "customer_email" => $order["email"],
        "metadata" => ["order" => $id],
    ]);
    return [201, ["checkout_id" => $page["checkout_id"], "checkout_url" => $page["checkout_url"]]];
}

function learn(&$order, $charge) {
    $steps = count($charge["status_history"]);
    if ($steps <= ($order["seen"][$charge["charge_id"]] ?? 0)) return; // a duplicate, or overtaken
    $order["seen"][$charge["charge_id"]] = $steps;
    if ($charge["status"] === "COMPLETED" && !$order["paid"]) {
        $order["paid"] = true;
        $order["status"] = "picking";
    } elseif ($charge["status"] === "REFUNDED") {
        $order["status"] = "refunded";
    } elseif (in_array($charge["status"], ["FAILED", "CANCELLED", "EXPIRED"])) {
        if (in_array($order["status"], ["processing", "completed", "refunded"])) return;
        $order["status"] = "failed";
    }
}

function handle($method, $path, $body) {
    if ($path === "/webhooks") {
        if (!is_signed($body)) return [400, ["error" => "bad signature"]];
        $charge = json_decode($body, true)["data"];
        $id = $charge["metadata"]["order"] ?? null;
        if ($id !== null) with_order($id, fn(&$order) => $order === null ? null : learn($order, $charge));
        return [200, []];
    }
    $input = json_decode($body, true);
    if ($method === "POST" && $path === "/orders")
        return with_order($input["order"], fn(&$order) => place($order, $input["email"]));
    [, , $id] = [...explode("/", $path), "", ""];
    if ($method === "POST") return with_order($id, fn(&$order) => go_to_pay($id, $order));
    return with_order($id, fn(&$order) => $order === null ? [404, []] : [200, ["status" => $order["status"]]]);
}

try {
    [$status, $answer] = handle($_SERVER["REQUEST_METHOD"], $_SERVER["REQUEST_URI"], file_get_contents("php://input"));
} catch (RuntimeException $error) {
    [$status, $answer] = [503, ["error" => $error->getMessage()]];
}
http_response_code($status);
header("content-type: application/json");
echo json_encode((object) $answer);
