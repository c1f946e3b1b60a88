// Asks Swagger UI itself, as the API serves it, and without a browser. Standard input is JSON with the served files,
// the document and phrases; standard output is JSON with the type shown for each schema and the operations found.
"use strict";

const { readFileSync } = require("node:fs");
const vm = require("node:vm");

const { bundle, search, document: openapi, phrases } = JSON.parse(readFileSync(0, "utf8"));

// The few names of a browser that the bundle reads while it is loaded.
const element = () => ({ style: {}, setAttribute() {}, appendChild() {}, addEventListener() {}, getElementsByTagName: () => [] });
Object.assign(globalThis, {
  window: globalThis,
  document: {
    ...element(),
    ...Object.fromEntries(["createElement", "createElementNS", "createTextNode"].map((name) => [name, element])),
    querySelector: () => null,
    ...Object.fromEntries(["documentElement", "body", "head"].map((name) => [name, element()])),
  },
  location: new URL("http://localhost/v1/docs"),
  addEventListener() {},
});

const loaded = { exports: {} };
vm.runInThisContext(`(function (module, exports, require) {${bundle}\n})`)(loaded, loaded.exports, require);
const { System, config, presets } = loaded.exports;
vm.runInThisContext(search);

const resolve = (value) => {
  if (Array.isArray(value)) return value.map(resolve);
  if (value === null || typeof value !== "object") return value;
  if (typeof value.$ref === "string") {
    return resolve(value.$ref.slice(2).split("/").reduce((part, key) => part[key], openapi));
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member)]));
};

const system = new System({
  system: { configs: config.defaults },
  plugins: [presets.apis],
  state: { layout: { layout: "BaseLayout", filter: "" }, spec: { spec: "", url: "" } },
}).getSystem();
system.specActions.updateSpec(JSON.stringify(openapi));
system.specActions.updateJsonSpec(openapi);

const types = {};
for (const [name, schema] of Object.entries(openapi.components.schemas)) {
  const resolved = resolve(schema);
  types[name] = system.fn.jsonSchema202012.getType(resolved);
  for (const [member, inner] of Object.entries(resolved.properties ?? {})) {
    types[`${name}.${member}`] = system.fn.jsonSchema202012.getType(inner);
  }
}

const tagged = system.specSelectors.taggedOperations();
const names = (operations) =>
  operations.toList().flatMap((each) => each.get("operations")).map((each) => each.getIn(["operation", "operationId"])).toJS();
const found = Object.fromEntries(phrases.map((phrase) => [phrase, names(globalThis.searchOperations(tagged, phrase))]));

process.stdout.write(JSON.stringify({ types, found }), () => process.exit(0));
