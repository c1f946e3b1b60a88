// Keeps the operations that contain every word of the phrase, in any case, in their tag, method, path, name or text.
// taggedOperations is the Immutable map of Swagger UI: by tag, an entry with a list of operations.
function searchOperations(taggedOperations, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const matches = (tag, entry) => {
    const operation = entry.get("operation");
    const described = ["operationId", "summary", "description"].map((name) => operation.get(name, ""));
    const text = [tag, entry.get("method"), entry.get("path"), ...described].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return taggedOperations
    .map((tagged, tag) => tagged.update("operations", (list) => list.filter((entry) => matches(tag, entry))))
    .filter((tagged) => tagged.get("operations").size > 0);
}
