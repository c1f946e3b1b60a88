// What a user can do about a refusal of the API. The API's own words stand beside it.

const ADVICE = {
  unauthenticated: 'Sign in with a valid key. A revoked or expired key is refused like an unknown one.',
  forbidden: 'Sign in with a key that may do this, or ask an administrator of the tenant for one.',
  'not-found': 'Check the id. An id of another tenant looks like an unknown one; old runs are deleted after a while.',
  'precondition-failed': 'Load the page again to see the newer version, then repeat the change.',
  'quota-exceeded': 'Delete what is no longer needed, or ask the operators for a higher quota. Usage shows the quotas.',
  'service-unavailable': 'Try again. A write may have taken effect already: look before you repeat it.',
};

/** One sentence, or two, on what to do about an ApiError. */
export function adviceOn(error) {
  if (error.status === 0) return 'Check the connection. For the local stack, check that "make run" is running.';
  if (error.kind === 'rate-limited' || (error.status === 429 && error.kind !== 'quota-exceeded')) {
    return error.retryAfter ? `Wait ${error.retryAfter} s, then try again.` : 'Wait a moment, then try again.';
  }
  if (ADVICE[error.kind]) return ADVICE[error.kind];
  if (error.status >= 500) return 'Try again. If the error stays, give the request id to the operators.';
  return error.problem?.errors?.length ? 'Correct the values that are named, then try again.' : '';
}

/** The request id of a refusal, by which operators find the request; null where there is none. */
export function requestId(error) {
  const found = /^urn:punctual:request:(.+)$/.exec(error.problem?.instance ?? '');
  return found ? found[1] : null;
}
