import fc from "fast-check";
import { expect, it } from "vitest";
import { isCloudMetadataAddress, normalizeWebhookUrl } from "../../src/core/schema/receiver-url.js";

it.each([
  ["localhost:3000/webhooks", "http://localhost:3000/webhooks"],
  ["http://localhost:3000", "http://localhost:3000/"],
  ["HTTPS://Shop.test:443/hooks?x=1", "https://shop.test/hooks?x=1"],
  ["10.0.0.5/hooks", "http://10.0.0.5/hooks"],
  ["192.168.1.7:8080", "http://192.168.1.7:8080/"],
  ["http://[::1]:3000/", "http://[::1]:3000/"],
  ["[::1]:3000/hooks", "http://[::1]:3000/hooks"],
  ["http://[fd00::5]/", "http://[fd00::5]/"],
  ["http://[fe8::1]/", "http://[fe8::1]/"],
  ["http://[fd00:ec2::25]/", "http://[fd00:ec2::25]/"],
  ["http://[64:ff9b:1::7f00:1]/", "http://[64:ff9b:1::7f00:1]/"],
  ["http://[64:ff9b:2::a9fe:a9fe]/", "http://[64:ff9b:2::a9fe:a9fe]/"],
  ["http://[::fffe:0:a9fe:a9fe]/", "http://[::fffe:0:a9fe:a9fe]/"],
  ["app.internal", "http://app.internal/"],
  ["http://host.docker.internal:3000/", "http://host.docker.internal:3000/"],
  ["http://ada:secret@localhost:3000/", "http://ada:secret@localhost:3000/"],
  ["http://metadata.shop.test/", "http://metadata.shop.test/"],
  ["http://0.0.0.0:3000/", "http://0.0.0.0:3000/"],
  ["127.0.0.1.:3000", "http://127.0.0.1:3000/"],
  ["http://ada:secret@127.0.0.1:3000/", "http://ada:secret@127.0.0.1:3000/"],
  // A port alone means localhost.
  ["3000", "http://localhost:3000/"],
  ["80", "http://localhost/"],
  ["3000/webhooks?x=1", "http://localhost:3000/webhooks?x=1"],
])("accepts the receiver URL %s as %s", (text, url) => {
  expect(normalizeWebhookUrl(text)).toBe(url);
});

it.each([
  "",
  "/hooks",
  "http://",
  "ftp://shop.test/",
  "file:///etc/passwd",
  "gopher://localhost:70/",
  "javascript:alert(1)",
  "data:text/plain,x",
  "mailto:ada@shop.test",
  "http:/localhost:3000",
  "https:/localhost",
  "file:/etc/passwd",
  "http://shop test/",
  "http://localhost:99999/",
  // Strings that resemble an IPv4 address.
  "0",
  "65536",
  "99999/webhooks",
  "3000:80",
  "2130706433",
  "http://3000/",
  "http://3000:80/webhooks",
  "https://ada@3000/",
  "127.1",
  "http://0x7f000001/",
  "http://0x7f.0.0.1/",
  "http://0177.0.0.1/",
  "http://１２７.0.0.1/",
  "http://127.0.0.1%2e/",
])("refuses the receiver URL %s", (text) => {
  expect(normalizeWebhookUrl(text)).toBeUndefined();
});

it.each([
  // Other notations of the address that the URL parser accepts.
  "http://169.254.169.254/latest/meta-data/",
  "169.254.169.254",
  "http://169.254.169.254.:80/",
  "http://169.254.170.2/",
  "http://2852039166/",
  "http://0xa9fea9fe/",
  "http://0xa9.0xfe.0xa9.0xfe/",
  "http://0251.0376.0251.0376/",
  "http://169.254.43518/",
  "http://%31%36%39.254.169.254/",
  "http://１６９.254.169.254/",
  "http://169。254。169。254/",
  // A user name and a password that resemble a host.
  "http://shop.test@169.254.169.254/",
  "http://localhost:3000@2852039166/",
  // IPv4 addresses within IPv6.
  "http://[::ffff:169.254.169.254]/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://[0:0:0:0:0:ffff:a9fe:a9fe]:80/",
  "http://[::169.254.169.254]/",
  "http://[64:ff9b::169.254.169.254]/",
  "http://[2002:a9fe:a9fe::]/",
  "http://[2002:a9fe:a9fe:1::1]/",
  "http://[::ffff:100.100.100.200]/",
  "http://[fe80::1]/",
  "http://[febf::1]/",
  "http://[fd00:ec2::254]/",
  "http://[FD00:0EC2:0::0254]/",
  "http://[fd20:ce::254]/",
  "http://[fd00:ec2::23]/",
  "http://[::ffff:0:a9fe:a9fe]/",
  "http://[::ffff:0:169.254.169.254]/",
  "http://[64:ff9b:1::a9fe:a9fe]/",
  "http://[64:ff9b:1:abcd::169.254.169.254]/",
  "http://[64:ff9b:1:a9fe:a9:fe00::]/",
  "http://[64:ff9b:1:a9:fe:a9fe::]/",
  "http://[64:ff9b:1:0:a9:fea9:fe00::]/",
  "http://[64:ff9b:1::6464:64c8]/",
  // Other cloud providers, and host names.
  "http://100.100.100.200/",
  "http://168.63.129.16/",
  "http://192.0.0.192/opc/v2/instance/",
  "http://metadata.google.internal/computeMetadata/v1/",
  "http://METADATA.google.internal./",
  "http://metadata.google.internal../",
  "http://metadata/",
  "http://metadata.goog/",
  "http://instance-data.ec2.internal/",
])("refuses %s, a cloud's metadata address", (text) => {
  expect(normalizeWebhookUrl(text)).toBeUndefined();
});

it("a host is an IPv4 address only with four decimal numbers", () => {
  const part = fc.oneof(
    fc.nat({ max: 255 }).map(String),
    fc.nat({ max: 2 ** 32 - 1 }).map(String),
    fc.nat({ max: 255 }).map((number) => `0x${number.toString(16)}`),
    fc.nat({ max: 255 }).map((number) => `0${number.toString(8)}`),
  );
  const host = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("."));
  fc.assert(
    fc.property(
      host,
      fc.constantFrom("", "http://", "https://ada@"),
      fc.constantFrom("", ":80", "/x"),
      (name, before, after) => {
        const url = normalizeWebhookUrl(`${before}${name}${after}`);
        if (url !== undefined && new URL(url).hostname !== "localhost")
          expect(new URL(url).hostname).toBe(name);
      },
    ),
  );
});

it.each([
  ["::ffff:169.254.1.1", true],
  ["FD00:EC2::254", true],
  ["::", false],
  ["::ffff:10.0.0.1", false],
  ["2001:db8::a9fe:a9fe", false],
  ["no address", false],
])("maps the result of a name lookup: %s: %s", (address, expected) => {
  expect(isCloudMetadataAddress(address)).toBe(expected);
});
