# A magazine: a subscription is paid on the service's page, and the webhook says how it stands.
require "base64"
require "json"
require "net/http"
require "openssl"
require "sinatra/base"
require "webrick"

SERVICE = URI(ENV["PAYMENTS_BASE_URL"])
SECRET = Base64.decode64(ENV["PAYMENTS_WEBHOOK_SECRET"].delete_prefix("whsec_"))
PRICING = { base_currency: "USD", amount: "19.99" }.freeze
STATUS = {
  "COMPLETED" => "active",
  "FAILED" => "failed",
  "CANCELLED" => "cancelled",
  "EXPIRED" => "expired",
  "REFUNDED" => "refunded"
}.freeze

Unavailable = Class.new(StandardError)

def payments(path, body)
  headers = { "authorization" => "Bearer #{ENV["PAYMENTS_API_KEY"]}", "content-type" => "application/json" }
  response = Net::HTTP.start(SERVICE.host, SERVICE.port) { |http| http.post("/api/v1/payments#{path}", body.to_json, headers) }
  raise Unavailable, "#{path}: #{response.code}" unless response.code == "200"
  JSON.parse(response.body)
rescue IOError, SystemCallError, Timeout::Error
  raise Unavailable, path
end

def signed?(headers, body)
  sent_at = headers["HTTP_WEBHOOK_TIMESTAMP"].to_s
  return false unless sent_at.match?(/\A\d+\z/) && (Time.now.to_i - sent_at.to_i).abs <= 300
  mac = OpenSSL::HMAC.digest("SHA256", SECRET, "#{headers["HTTP_WEBHOOK_ID"]}.#{sent_at}.#{body}")
  expected = "v1,#{Base64.strict_encode64(mac)}"
  headers["HTTP_WEBHOOK_SIGNATURE"].to_s.split.any? { |one| Rack::Utils.secure_compare(one, expected) }
end

class Magazine < Sinatra::Base
  SUBSCRIPTIONS = {} # a table in production
  REGISTRY = Mutex.new

  set :server, "webrick"
  set :port, ENV.fetch("PORT", "3000").to_i
  set :bind, "127.0.0.1"
  set :environment, :production
  set :quiet, true
  disable :dump_errors
  set :server_settings, { AccessLog: [], Logger: WEBrick::Log.new(File::NULL) }
  before { content_type :json }
  error(Unavailable) { halt 503, { error: env["sinatra.error"].message }.to_json }

  post "/subscriptions" do
    wish = JSON.parse(request.body.read)
    subscription = REGISTRY.synchronize do
      SUBSCRIPTIONS[wish["subscription"]] ||= { status: "pending", charge: { "status_history" => [] }, lock: Mutex.new }
    end
    subscription[:lock].synchronize do # two presses are one checkout
      body = { pricing: PRICING, customer_email: wish["email"], metadata: { subscription: wish["subscription"] } }
      subscription[:checkout] ||= payments("/checkouts", body)
    end
    halt 201, subscription[:checkout].slice("checkout_id").to_json
  end

  get "/subscriptions/:id" do |id|
    subscription = SUBSCRIPTIONS[id] or halt 404, "{}"
    subscription.slice(:status).to_json
  end

  post "/webhooks" do
    body = request.body.read
    halt 400, "{}" unless signed?(request.env, body)
    charge = JSON.parse(body)["data"]
    subscription = SUBSCRIPTIONS[charge.dig("metadata", "subscription")]
    halt "{}" if subscription&.dig(:checkout, "charge_id") != charge["charge_id"] # not one of ours
    subscription[:lock].synchronize do
      subscription[:charge] = charge
      subscription[:status] = STATUS.fetch(charge["status"], "pending")
    end
    "{}"
  end

  run! { |server| $stdout.puts "listening on port #{server.config[:Port]}"; $stdout.flush }
end
