# Sinatra. A job sends each payout until it gets a response, with one key; after the key's day it looks for the payout first.
require "base64"
require "json"
require "net/http"
require "openssl"
require "sinatra/base"
require "time"
require "webrick"

BASE = URI(ENV["PAYMENTS_BASE_URL"])
SECRET = Base64.decode64(ENV["PAYMENTS_WEBHOOK_SECRET"].delete_prefix("whsec_"))
PAGE_SIZE = 50
PAYOUTS = {}
REGISTRY = Mutex.new
Unavailable = Class.new(StandardError)

def api(method, path, body = nil, headers = {})
  request = Net::HTTP.const_get(method).new("/api/v1/payouts/#{path}", { "authorization" => "Bearer #{ENV["PAYMENTS_API_KEY"]}", "content-type" => "application/json", **headers })
  request.body = body.to_json if body
  response = Net::HTTP.start(BASE.host, BASE.port, read_timeout: 60) { |http| http.max_retries = 0; http.request(request) }
  raise Unavailable, path unless response.code == "200"
  JSON.parse(response.body)
rescue IOError, SystemCallError, Timeout::Error, JSON::ParserError, Net::ProtocolError => error
  raise Unavailable, error.message
end

# Finds the withdrawal of an earlier attempt, whatever became of its key.
def find_sent(payout)
  0.step(by: PAGE_SIZE) do |offset|
    items = api("Get", "withdrawals?limit=#{PAGE_SIZE}&offset=#{offset}")["items"]
    found = items.find { |item| item["reference"] == payout[:id] }
    return found if found || items.length < PAGE_SIZE
  end
end

def send_payout(payout)
  wallet = { type: "mobile_money", currency: "KES", provider: "simba_pesa", phone_number: payout[:phone] }
  payout[:destination] ||= api("Post", "destinations", wallet)["destination_id"]
  earlier = payout[:tried] ? find_sent(payout) : nil
  payout[:tried] = true
  body = { destination_id: payout[:destination], amount: payout[:amount], currency: "KES", reference: payout[:id] }
  sent = earlier || api("Post", "withdrawals", body, { "idempotency-key" => payout[:id] })
  payout.merge!(withdrawal_id: sent["withdrawal_id"], status: "sent")
end

def learn(payout)
  status = api("Get", "withdrawals/#{payout[:withdrawal_id]}")["status"]
  payout[:status] = { "COMPLETED" => "done", "FAILED" => "failed", "CANCELLED" => "failed" }.fetch(status, "sent")
end

# A failed payout stays as it is: a person decides if it is sent again.
def work_on(payout)
  payout[:lock].synchronize do
    send_payout(payout) if payout[:status] == "due"
    learn(payout) if payout[:status] == "sent"
  end
rescue Unavailable
  # The job tries again.
end

def signed?(headers, body)
  sent_at = headers["HTTP_WEBHOOK_TIMESTAMP"].to_s
  return false unless sent_at.match?(/\A\d+\z/) && (Time.now.to_i - sent_at.to_i).abs <= 300
  mac = OpenSSL::HMAC.digest("SHA256", SECRET, "#{headers["HTTP_WEBHOOK_ID"]}.#{sent_at}.#{body}")
  expected = "v1,#{Base64.strict_encode64(mac)}"
  headers["HTTP_WEBHOOK_SIGNATURE"].to_s.split.any? { |one| Rack::Utils.secure_compare(one, expected) }
end

class App < Sinatra::Base
  set :server, "webrick"
  set :port, ENV["PORT"].to_i
  set :bind, "127.0.0.1"
  set :environment, :production
  set :logging, false
  set :quiet, true
  set :server_settings, { AccessLog: [], Logger: WEBrick::Log.new(File::NULL) }
  disable :protection
  disable :show_exceptions
  disable :raise_errors
  before { content_type :json }

  post "/payouts" do
    wish = JSON.parse(request.body.read)
    payout = REGISTRY.synchronize { PAYOUTS[wish["id"]] ||= { id: wish["id"], phone: wish["phone"], amount: wish["amount"], status: "due", lock: Mutex.new } }
    work_on(payout)
    halt 202, { status: payout[:status] }.to_json
  end

  get "/payouts/:id" do |id|
    payout = PAYOUTS[id] or halt 404, "{}"
    { status: payout[:status] }.to_json
  end

  post "/webhooks" do
    body = request.body.read
    halt 400, "{}" unless signed?(request.env, body)
    payout = PAYOUTS[JSON.parse(body).dig("data", "reference")]
    work_on(payout) if payout
    "{}"
  end

  post "/tick" do
    PAYOUTS.values.each { |payout| work_on(payout) }
    "{}"
  end

  run!
end
