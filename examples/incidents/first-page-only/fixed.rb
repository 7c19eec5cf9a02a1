# A shop whose payments are imported into its books every night, for the accountant.
require "base64"
require "json"
require "net/http"
require "openssl"
require "sinatra/base"
require "time"
require "webrick"

BASE = URI(ENV["PAYMENTS_BASE_URL"])
SECRET = Base64.decode64(ENV["PAYMENTS_WEBHOOK_SECRET"].delete_prefix("whsec_"))
ENDED = %w[REFUNDED FAILED CANCELLED EXPIRED].freeze
PAGE = 50
WEEK = 7 * 24 * 3600 # a payment may come late
ORDERS = {} # tables in production
BOOKS = {}
LOCK = Mutex.new

def payments(method, path, body = nil)
  headers = { "authorization" => "Bearer #{ENV["PAYMENTS_API_KEY"]}", "content-type" => "application/json" }
  request = Net::HTTP.const_get(method).new("/api/v1/payments#{path}", headers)
  request.body = body.to_json if body
  response = Net::HTTP.start(BASE.host, BASE.port, read_timeout: 30, max_retries: 0) { |http| http.request(request) }
  raise IOError, "#{method} #{path}: #{response.code}" unless response.code == "200"

  [JSON.parse(response.body), Time.parse(response["sandbox-now"] || response["date"])]
end

# A page whose address is lost does no harm: nobody can pay on it.
def open_page(order)
  pricing = { base_currency: "USD", amount: "19.99" }
  body = { pricing: pricing, customer_email: order[:email], metadata: { order: order[:id] } }
  payments("Post", "/checkouts", body).first
end

def book(payins)
  payins.each { |payin| BOOKS[payin["charge_id"]] ||= payin.slice("checkout_id", "amount", "currency") }
end

def import
  (0..).step(PAGE) do |offset|
    payins, now = payments("Get", "/payins?status_filter=COMPLETED&limit=#{PAGE}&offset=#{offset}")
    book(payins["items"])
    oldest = payins["items"].last
    break if payins["items"].size < PAGE || Time.parse(oldest["created_at"]) < now - WEEK
  end
end

def learn(order, charge)
  return if charge["status_history"].size <= order[:seen] # a duplicate, or overtaken

  order[:seen] = charge["status_history"].size
  order[:status] = "paid" if charge["status"] == "COMPLETED"
  order[:status] = charge["status"].downcase if ENDED.include?(charge["status"])
end

def signed?(headers, body)
  sent_at = headers["HTTP_WEBHOOK_TIMESTAMP"].to_s
  mac = OpenSSL::HMAC.digest("SHA256", SECRET, "#{headers["HTTP_WEBHOOK_ID"]}.#{sent_at}.#{body}")
  expected = "v1,#{Base64.strict_encode64(mac)}"
  is_known = headers["HTTP_WEBHOOK_SIGNATURE"].to_s.split.any? { |one| Rack::Utils.secure_compare(one, expected) }
  is_known && (Time.now.to_i - sent_at.to_i).abs < 300
end

class App < Sinatra::Base
  set :show_exceptions, false
  before { content_type :json }
  error(IOError, SystemCallError, Timeout::Error) { halt 503, { error: env["sinatra.error"].message }.to_json }

  post "/orders" do
    wish = JSON.parse(request.body.read)
    order = LOCK.synchronize do
      ORDERS[wish["order"]] ||= { id: wish["order"], email: wish["email"], status: "pending", seen: 0 }
      ORDERS[wish["order"]].tap { |one| one[:page] ||= open_page(one) }
    end
    halt 201, order[:page].slice("checkout_id", "checkout_url").to_json
  end

  get "/orders/:id" do |id|
    order = ORDERS[id] or halt 404, "{}"
    booked = BOOKS.values.count { |line| line["checkout_id"] == order[:page]["checkout_id"] }
    { status: order[:status], booked: booked }.to_json
  end

  post "/jobs/import" do
    import
    { lines: BOOKS.size }.to_json
  end

  post "/webhooks" do
    body = request.body.read
    halt 400, "{}" unless signed?(request.env, body)
    charge = JSON.parse(body)["data"]
    order = ORDERS[charge.dig("metadata", "order")]
    LOCK.synchronize { learn(order, charge) if order.dig(:page, "charge_id") == charge["charge_id"] } if order
    "{}"
  end
end

quiet = { AccessLog: [], Logger: WEBrick::Log.new(File::NULL) }
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: ENV.fetch("PORT", "3000").to_i, **quiet)
server.mount "/", Rack::Handler::WEBrick, App
puts "listening on port #{server.config[:Port]}"
$stdout.flush
server.start
