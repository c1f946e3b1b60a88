// The console: signs in, and shows the page that the address names.
import { html, render, useEffect, useState } from './lib/dom.js';
import { onSessionChange, session, signOut, storedKey, takeKeyOfAddress } from './lib/session.js';
import { Frame } from './shell/frame.js';
import { SignIn } from './shell/sign_in.js';

/** Pages by the name of their route. A page is loaded when it is first opened. */
const PAGES = {
  overview: () => import('./pages/overview.js'),
  run: () => import('./pages/run.js'),
  dead: () => import('./pages/dead.js'),
  usage: () => import('./pages/usage.js'),
  operator: () => import('./pages/operator.js'),
  account: () => import('./pages/account.js'),
};

function Console({ offeredKey }) {
  const [isOffered, setIsOffered] = useState(offeredKey !== null);
  const [, redraw] = useState(0);
  useEffect(() => onSessionChange(() => redraw((n) => n + 1)), []);
  if (session.whoami && !isOffered) return html`<${Frame} pages=${PAGES} signOut=${() => signOut()} />`;
  return html`<${SignIn} offeredKey=${isOffered ? offeredKey : null} onDone=${() => setIsOffered(false)} />`;
}

// The key leaves the address before anything else happens.
const offeredKey = takeKeyOfAddress();
session.key = storedKey();
const root = document.getElementById('console');
root.replaceChildren();
render(html`<${Console} offeredKey=${offeredKey} />`, root);
