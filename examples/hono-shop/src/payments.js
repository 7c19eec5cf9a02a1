/** Makes a hosted checkout: the customer is sent to its `checkout_url` and comes back to one of the two addresses. */
export async function createCheckout({ baseUrl, apiKey }, request) {
  const response = await fetch(`${baseUrl}/api/v1/payments/checkouts`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer;
}
