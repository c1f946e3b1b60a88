// The form for an API key. Nothing but an address with #key= fills it in.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../lib/dom.js';
import { whoami } from '../lib/api.js';
import { isHeld } from '../lib/drafts.js';
import { session, signIn, signOut } from '../lib/session.js';
import { Field, Problem } from '../ui/basics.js';

/** Asks for a key, or tries the one of this tab. An address that was opened before stays in the address bar. */
export function SignIn({ offeredKey, onDone }) {
  const field = useRef(null);
  const [error, setError] = useState(session.refusal);
  const [hasDraft, setHasDraft] = useState(false);
  const [isBusy, setIsBusy] = useState(offeredKey === null && session.key !== null);

  const enter = async (key) => {
    setIsBusy(true);
    setError(null);
    try {
      signIn(key, await whoami(key));
      onDone();
    } catch (refusal) {
      // A key that is refused is forgotten; one that could not be checked is kept for the next attempt.
      if (refusal.status === 401) signOut(refusal);
      setError(refusal);
      setIsBusy(false);
    }
  };

  useLayoutEffect(() => {
    document.title = 'Sign in · Punctual';
    if (offeredKey === null && session.key !== null) enter(session.key);
    else field.current?.focus();
  }, []);
  // Known only then: the form of the last session leaves the page after this one has come.
  useEffect(() => setHasDraft(isHeld()), []);

  const submit = (event) => {
    event.preventDefault();
    const key = field.current.value.trim();
    if (key && !isBusy) enter(key);
  };
  return html`<main class="sign-in">
    <h1>Punctual</h1>
    ${isBusy && html`<p class="muted" role="status">Signing in …</p>`}
    ${error && html`<${Problem} error=${error} retry=${session.key && (() => enter(session.key))} />`}
    ${hasDraft && html`<p>The form is kept until this page is closed or loaded again. It comes back with a key of the same
      tenant that may write, and is forgotten with any other key.</p>`}
    ${offeredKey !== null && html`<p>The address came with a key. Sign in with it, or paste another one.</p>`}
    <form onSubmit=${submit}>
      <${Field} label="API key" hint="It stays in this tab, until you sign out or close the tab.">
        <input ref=${field} type="password" defaultValue=${offeredKey ?? ''} autocomplete="off" spellcheck=${false}
          autocapitalize="off" required />
      <//>
      <button type="submit" class="primary" aria-busy=${isBusy}>Sign in</button>
    </form>
    <details>
      <summary>Where do I get a key?</summary>
      <p>On a laptop, <code>make run</code> prints an address that signs in. In the cloud, an administrator of the
        tenant creates keys, in this console or with <code>punctual keys create</code>.</p>
    </details>
    <p><a href="v1/docs">Documentation of the API</a></p>
  </main>`;
}
