// Talking to the server that the page came from.

export async function call(address, body, signal) {
  const options = body
    ? { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    : {};
  let response;
  let answer;
  try {
    response = await fetch(address, { ...options, signal });
    answer = await response.json();
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    const message = response
      ? `the server failed (${response.status})`
      : "the server does not answer; is cloze serve still running?";
    throw { message, field: null };
  }
  if (!response.ok) throw answer;
  return answer;
}
