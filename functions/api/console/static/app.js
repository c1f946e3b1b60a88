// The console: signs in, and shows the page that the address names.
import { html, render, useLayoutEffect, useState } from './lib/dom.js';
import { onSessionChange, session, signOut, storedKey, takeKeyOfAddress } from './lib/session.js';
import { Frame } from './shell/frame.js';
import { SignIn } from './shell/sign_in.js';

/** Pages by the name of their route. A page's module runs when it is first opened. */
const PAGES = {
  overview: () => import('./pages/overview.js'),
  run: () => import('./pages/run.js'),
  dead: () => import('./pages/dead.js'),
  usage: () => import('./pages/usage.js'),
  operator: () => import('./pages/operator.js'),
  jobs: () => import('./pages/jobs.js'),
  newJob: () => import('./pages/job_form.js'),
  job: () => import('./pages/job.js'),
  editJob: () => import('./pages/job_form.js'),
  workflows: () => import('./pages/workflows.js'),
  workflow: () => import('./pages/workflow.js'),
  workflowRun: () => import('./pages/workflow_run.js'),
  triggers: () => import('./pages/triggers.js'),
  newTrigger: () => import('./pages/trigger_form.js'),
  calendars: () => import('./pages/calendars.js'),
  calendar: () => import('./pages/calendar.js'),
  newCalendar: () => import('./pages/calendar_form.js'),
  upcoming: () => import('./pages/upcoming.js'),
  account: () => import('./pages/account.js'),
};

function Console({ firstKey }) {
  const [offeredKey, setOfferedKey] = useState(firstKey);
  const [, redraw] = useState(0);
  useLayoutEffect(() => onSessionChange(() => redraw((n) => n + 1)), []);
  useLayoutEffect(() => {
    // An address with a key may also be pasted into a tab where the console is open.
    const follow = () => {
      const key = takeKeyOfAddress();
      if (key !== null) setOfferedKey(key);
    };
    // In front of the listeners of the pages, which must not see a key.
    globalThis.addEventListener('hashchange', follow, { capture: true });
    return () => globalThis.removeEventListener('hashchange', follow, { capture: true });
  }, []);
  if (session.whoami && offeredKey === null) return html`<${Frame} pages=${PAGES} signOut=${() => signOut()} />`;
  return html`<${SignIn} key=${offeredKey} offeredKey=${offeredKey} onDone=${() => setOfferedKey(null)} />`;
}

// The key leaves the address before anything else happens.
const firstKey = takeKeyOfAddress();
session.key = storedKey();
const root = document.getElementById('console');
root.replaceChildren();
render(html`<${Console} firstKey=${firstKey} />`, root);
