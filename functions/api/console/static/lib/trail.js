/** Records of the audit trail in words. No document, no request. */

/** 'pause job' of pauseJob: an operation's id is its verb and its noun. */
export function operationWords(operation) {
  return operation.replace(/([A-Z])/g, ' $1').toLowerCase().trim();
}

/** What a change did to its target, by the digests of the target before and after. */
export function effectOf({ before, after }) {
  if (before === null) return after === null ? 'recorded' : 'created';
  if (after === null) return 'removed';
  return before === after ? 'left as it was' : 'changed';
}

/** Who made a change: 'operator', or the key of a tenant. */
export function actorWords({ actor, key_id: key }) {
  return key === null ? actor : `${actor}, key ${key}`;
}
