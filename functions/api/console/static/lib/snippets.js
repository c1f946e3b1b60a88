// A request as text to paste into a terminal. The key is never part of it.

/** A curl command for a request, with the key in the variable PUNCTUAL_KEY. */
export function curl(method, path, { body, headers = {}, origin = globalThis.location.origin } = {}) {
  const lines = [`curl -sS -X ${method} ${quoted(origin + path)}`, '-H "Authorization: Bearer $PUNCTUAL_KEY"'];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  }
  return lines.join(' \\\n  ');
}

/** A value as one word of a shell, whatever characters it has. */
export function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A JSON value as Python code. */
export function python(value, indent = 0) {
  const inner = ' '.repeat(indent + 4);
  const end = ' '.repeat(indent);
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => python(each, indent + 4))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${python(each, indent + 4)}`);
  const [open, close] = isList ? '[]' : '{}';
  return parts.length ? `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${end}${close}` : open + close;
}
