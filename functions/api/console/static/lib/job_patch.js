// What differs between two documents of a job, and the merge patch (RFC 7396) from one to the other.

/** Members that hold members: all others are one value. */
const OBJECTS = new Set(['schedule', 'request', 'retry', 'alerts', 'headers']);
/** A schedule with another of these is another schedule. */
const KINDS = ['at', 'delay_seconds', 'cron', 'rate_seconds', 'expression'];
/** The values of these are never shown. */
const HIDDEN = [/^\/request\/headers\//, /^\/request\/(?:body|json)$/];

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether two values of JSON are equal. The order of an object's members does not count. */
export function isEqual(one, other) {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isEqual(each, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length
    && names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

/**
 * The merge patch that makes `after` of `before`: an empty object where nothing differs.
 *
 * A member of an object that is gone becomes null, which restores its default. A schedule of another kind is sent
 * whole.
 */
export function mergePatch(before, after) {
  const patch = {};
  for (const [name, value] of Object.entries(after)) {
    if (isEqual(before[name], value)) continue;
    const isMerged = OBJECTS.has(name) && isObject(before[name]) && isObject(value);
    patch[name] = isMerged && !(name === 'schedule' && kindOf(before[name]) !== kindOf(value))
      ? { ...nulls(before[name], value), ...mergePatch(before[name], value) }
      : value;
  }
  return patch;
}

const kindOf = (schedule) => KINDS.find((kind) => schedule[kind] !== undefined);

function nulls(before, after) {
  return Object.fromEntries(Object.keys(before).filter((name) => !Object.hasOwn(after, name)).map((name) => [name, null]));
}

/**
 * Each value that differs: {pointer, before, after, isHidden}, in the order of the pointers.
 *
 * `before` and `after` are undefined where a member is missing, and where they are hidden.
 */
export function differences(before, after) {
  return [...walk(before, after, '')].sort((one, other) => (one.pointer < other.pointer ? -1 : 1));
}

function* walk(before, after, path) {
  if (isEqual(before, after)) return;
  if (isObject(before) && isObject(after) && !HIDDEN.some((hidden) => hidden.test(path))) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* walk(before[name], after[name], `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    }
    return;
  }
  const isHidden = HIDDEN.some((hidden) => hidden.test(path));
  yield isHidden ? { pointer: path, isHidden } : { pointer: path, before, after, isHidden };
}

/**
 * Both sides of a conflict: every member that one of them has changed since `base`.
 *
 * @returns {{pointer, base, mine, theirs, isConflict, isHidden}[]} `isConflict` where both changed it, differently.
 */
export function bothSides(base, mine, theirs) {
  const ours = new Map(differences(base, mine).map((each) => [each.pointer, each]));
  const other = new Map(differences(base, theirs).map((each) => [each.pointer, each]));
  return [...new Set([...ours.keys(), ...other.keys()])].sort().map((pointer) => {
    const [own, their] = [ours.get(pointer), other.get(pointer)];
    const before = (own ?? their).before;
    return {
      pointer,
      base: before,
      mine: own ? own.after : before,
      theirs: their ? their.after : before,
      isConflict: Boolean(own && their) && !isEqual(own.after, their.after),
      isHidden: (own ?? their).isHidden,
    };
  });
}

/** A value in a table of differences. */
export function shownValue(value) {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
