// Ways to ask for the same explanation outside the console. No text has the key.
import { curl } from './snippets.js';

/** The request of a run's page as a command of curl, as Python, and as a command of the command line. */
export function runSnippets(id) {
  return [
    { label: 'Copy as curl', text: curl('GET', `/v1/executions/${id}/explain`) },
    { label: 'Copy as Python', text: `from punctual import Punctual\n\nwith Punctual() as p:\n    print(p.executions.explain(${JSON.stringify(id)}))` },
    { label: 'Copy as command', text: `punctual why ${id}` },
  ];
}
