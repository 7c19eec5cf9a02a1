/** `fetch` as far as a child of a test needs it: Node's own takes twice what starting Node does. */
const { request } = require("node:http");

module.exports = (url, { body, ...options } = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (more) => (text += more));
      response.on("error", reject).on("end", () => {
        const status = response.statusCode;
        const ok = status >= 200 && status < 300;
        resolve({ status, ok, text: async () => text, json: async () => JSON.parse(text) });
      });
    });
    sent.on("error", reject).end(body);
  });
