/**
 * A response that is never sent: the connection is cut in its place. Who listens sees the mark and destroys the
 * socket; who calls in process gets the network error a cut connection would give.
 */
const dropped = new WeakSet<Response>();

export function droppedResponse(): Response {
  const response = new Response(null, { status: 500 });
  dropped.add(response);
  return response;
}

export function isDropped(response: Response): boolean {
  return dropped.has(response);
}
