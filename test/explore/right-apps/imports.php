<?php
// PHP. Imports payments up to a cursor, the newest of the last complete import less a week in which an older one may still change.
const PAGE_SIZE = 5;
const LOOK_BACK = "7 days";

class Unavailable extends Exception {}

function api($path) {
    $options = ["header" => "authorization: Bearer " . getenv("PAYMENTS_API_KEY"), "ignore_errors" => true, "timeout" => 60];
    for ($attempt = 0; $attempt < 3; $attempt++) {
        if ($attempt > 0) usleep(50_000 << $attempt);
        $http_response_header = [];
        $text = @file_get_contents(getenv("PAYMENTS_BASE_URL") . "/api/v1/payments/$path", false, stream_context_create(["http" => $options]));
        preg_match('{^HTTP/\S+ (\d+)}', $http_response_header[0] ?? "", $status);
        $answer = $text === false ? null : json_decode($text, true);
        if (($status[1] ?? 0) == 200 && $answer !== null) return $answer;
    }
    throw new Unavailable($path);
}

/** Runs $work with the books, alone, and stores what it makes of them unless it fails. */
function with_books($work) {
    $file = fopen(getenv("APP_DATA") . "/books.json", "c+");
    flock($file, LOCK_EX);
    try {
        $books = json_decode(stream_get_contents($file), true) ?? ["cursor" => "", "lines" => []];
        $result = $work($books);
        rewind($file);
        ftruncate($file, 0);
        fwrite($file, json_encode($books));
        fflush($file);
        return $result;
    } finally {
        fclose($file);
    }
}

/**
 * The list is newest first and grows at its beginning only, so a page may repeat what the last one had, but leaves nothing out.
 * A filter by status would: a payment that changes leaves the list.
 */
function import(&$books) {
    $newest = $books["cursor"];
    for ($offset = 0; ; $offset += PAGE_SIZE) {
        $items = api("payins?limit=" . PAGE_SIZE . "&offset=$offset")["items"];
        foreach ($items as ["charge_id" => $id, "created_at" => $created, "amount" => $amount, "status" => $status]) {
            $newest = max($newest, $created);
            if ($books["cursor"] !== "" && strtotime($created) < strtotime($books["cursor"] . " -" . LOOK_BACK)) break 2;
            if ($status === "COMPLETED" || $status === "REFUNDED") $books["lines"][$id] = ["amount" => $amount, "status" => $status];
        }
        if (count($items) < PAGE_SIZE) break;
    }
    // Kept last: an import that fails halfway is done again from the same cursor.
    $books["cursor"] = $newest;
}

try {
    $path = parse_url($_SERVER["REQUEST_URI"], PHP_URL_PATH);
    header("content-type: application/json");
    if ($path === "/jobs/import") with_books(import(...));
    $lines = with_books(fn(&$books) => $books["lines"]);
    echo json_encode(["lines" => count($lines), "refunded" => count(array_filter($lines, fn($line) => $line["status"] === "REFUNDED"))]);
} catch (Unavailable) {
    http_response_code(503);
    echo "{}";
}
