// Stands in for node:http2 in the bundle: @hono/node-server only asks whether a request is an HTTP/2 one, we
// only speak HTTP/1.1, and the real module costs every start 4 ms.
export class Http2ServerRequest {}
export const constants = {};
