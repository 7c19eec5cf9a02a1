# Sinatra. A paid order has two payouts, one each for the seller and the courier. Asked for one before the order is paid, it refuses.
require "base64"
require "json"
require "net/http"
require "openssl"
require "sinatra/base"
require "webrick"

BASE = URI(ENV["PAYMENTS_BASE_URL"])
SECRET = Base64.decode64(ENV["PAYMENTS_WEBHOOK_SECRET"].delete_prefix("whsec_"))
SHARES = { "seller" => "900.00", "courier" => "600.00" }.freeze
ORDERS = {}
REGISTRY = Mutex.new
Unavailable = Class.new(StandardError)

def api(method, path, body = nil, headers = {})
  3.times do |attempt|
    sleep(0.05 * attempt)
    request = Net::HTTP.const_get(method).new("/api/v1/#{path}", { "authorization" => "Bearer #{ENV["PAYMENTS_API_KEY"]}", "content-type" => "application/json", **headers })
    request.body = body.to_json if body
    begin
      response = Net::HTTP.start(BASE.host, BASE.port, read_timeout: 60) { |http| http.max_retries = 0; http.request(request) }
      return JSON.parse(response.body) if response.code == "200"
      break if response.code.to_i < 500 && response.code != "429"
    rescue IOError, SystemCallError, Timeout::Error, JSON::ParserError, Net::ProtocolError
      next
    end
  end
  raise Unavailable, path
end

# The key makes a repeated payout safe.
def pay_out(order, party)
  wallet = { type: "mobile_money", currency: "KES", provider: "simba_pesa", phone_number: order[:phone] }
  order[:destination] ||= api("Post", "payouts/destinations", wallet)["destination_id"]
  body = { destination_id: order[:destination], amount: SHARES[party], currency: "KES", reference: "#{order[:id]} #{party}" }
  api("Post", "payouts/withdrawals", body, { "idempotency-key" => "#{order[:id]}-#{party}" })
  order[:payouts][party] = "sent"
end

def learn(order)
  return if order[:charge_id].nil?
  status = api("Get", "payments/charges/#{order[:charge_id]}")["status"]
  order[:status] = "paid" if status == "COMPLETED"
  order[:status] = status.downcase if order[:status] != "paid" && %w[FAILED CANCELLED EXPIRED].include?(status)
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
  error(Unavailable) { halt 503, "{}" }

  post "/orders" do
    wish = JSON.parse(request.body.read)
    order = REGISTRY.synchronize { ORDERS[wish["id"]] ||= { id: wish["id"], phone: wish["phone"], status: "pending", payouts: {}, lock: Mutex.new } }
    order[:lock].synchronize do
      unless order[:charge_id]
        body = { pricing: { base_currency: "KES", amount: "2000.10" }, customer_email: wish["email"], metadata: { order: order[:id] } }
        checkout = api("Post", "payments/checkouts", body)
        order.merge!(charge_id: checkout["charge_id"], checkout_id: checkout["checkout_id"])
      end
    end
    halt 201, { checkout_id: order[:checkout_id] }.to_json
  end

  post "/orders/:id/payouts/:party" do |id, party|
    order = ORDERS[id] or halt 404, "{}"
    order[:lock].synchronize do
      learn(order)
      halt 409, "{}" unless order[:status] == "paid"
      unless order[:payouts][party]
        order[:payouts][party] = "due"
        begin
          pay_out(order, party)
        rescue Unavailable
          # The job sends it again.
        end
      end
    end
    halt 202, "{}"
  end

  get "/orders/:id" do |id|
    order = ORDERS[id] or halt 404, "{}"
    { status: order[:status], payouts: order[:payouts] }.to_json
  end

  post "/webhooks" do
    body = request.body.read
    halt 400, "{}" unless signed?(request.env, body)
    data = JSON.parse(body)["data"]
    order = ORDERS[data.dig("metadata", "order")]
    order[:lock].synchronize { learn(order) if order[:charge_id] == data["charge_id"] } if order
    "{}"
  end

  post "/tick" do
    # Older orders have ended.
    ORDERS.values.last(4).each do |order|
      order[:lock].synchronize do
        learn(order)
        order[:payouts].each { |party, state| pay_out(order, party) if state == "due" }
      rescue Unavailable
        next
      end
    end
    "{}"
  end

  run!
end
