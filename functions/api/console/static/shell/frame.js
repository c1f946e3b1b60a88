// What is around every page: navigation, who is signed in, messages, and the keyboard.
import { html, useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from '../lib/dom.js';
import { href, useRoute } from '../lib/route.js';
import { isOperator, session } from '../lib/session.js';
import { Empty, Problem } from '../ui/basics.js';
import { Notices } from '../ui/notices.js';
import { useKeptFocus } from './kept_focus.js';
import { Help, useShortcuts } from './shortcuts.js';

/** The navigation, in the order of the row. */
const ENTRIES = [
  ['overview', 'Overview'],
  ['jobs', 'Jobs'],
  ['workflows', 'Workflows'],
  ['triggers', 'Triggers'],
  ['calendars', 'Calendars'],
  ['dead', 'Dead letters'],
  ['upcoming', 'Upcoming'],
  ['usage', 'Usage and keys'],
  ['operator', 'Operator'],
];
/** The entries of operators, who manage tenants and see no jobs. */
const FOR_OPERATORS = ['operator', 'usage'];
/** The entry that is marked on pages without an entry of their own. */
const PARENTS = {
  job: 'jobs', newJob: 'jobs', editJob: 'jobs', newTrigger: 'triggers', calendar: 'calendars', newCalendar: 'calendars', run: 'overview', workflow: 'workflows',
  workflowRun: 'workflows',
};

export function Frame({ pages, signOut }) {
  const route = useRoute();
  // Operators see no jobs: the console begins with what they see.
  const name = route.name === 'overview' && isOperator() ? 'operator' : route.name;
  const [isHelpShown, setIsHelpShown] = useState(false);
  useKeptFocus();
  useShortcuts({ pages, showHelp: () => setIsHelpShown((isShown) => !isShown) });
  return html`
    <a class="skip" href="#content" onClick=${skip}>Skip to the content</a>
    <header class="bar">
      <a class="brand" href=${href('overview')}>Punctual</a>
      <nav aria-label="Pages"><ul>
        ${ENTRIES.filter(([each]) => isFor(each)).map(([each, label]) => html`
          <li key=${each}><a href=${href(each)} aria-current=${(PARENTS[name] ?? name) === each ? 'page' : undefined}>${label}</a></li>`)}
      </ul></nav>
      <div class="who">
        <a href=${href('account')} title="The key of this tab">${session.whoami.tenant}</a>
        <button type="button" class="quiet" onClick=${() => setIsHelpShown(true)}>Shortcuts <kbd>?</kbd></button>
        <button type="button" class="quiet" onClick=${signOut}>Sign out</button>
      </div>
    </header>
    <main id="content" tabindex="-1"><${Content} key=${`${name} ${route.params.id ?? ''}`} load=${pages[name]} route=${route} /></main>
    <${Notices} />
    ${isHelpShown && html`<${Help} pages=${pages} onClose=${() => setIsHelpShown(false)} />`}`;
}

/** Whether the navigation leads the key's owner to a page. */
function isFor(page) {
  return isOperator() ? FOR_OPERATORS.includes(page) : page !== 'operator';
}

/** The page of a route. Its heading gets the focus, so that a screen reader reads where one is. */
function Content({ load, route }) {
  const [Component, setComponent] = useState(null);
  const [error, reset] = useErrorBoundary();
  const isFocused = useRef(false);
  useLayoutEffect(() => { load?.().then((module) => setComponent(() => module.default)); }, []);
  useEffect(() => {
    const heading = document.querySelector('#content h1');
    if (isFocused.current || !heading) return;
    isFocused.current = true;
    heading.focus({ preventScroll: true });
    globalThis.scrollTo(0, 0);
  });
  if (!load) return html`<${NoSuchPage} />`;
  if (error) return html`<h1 tabindex="-1">Something went wrong</h1><${Problem} error=${error} retry=${reset} />`;
  if (!Component) return html`<p class="muted" role="status">Loading …</p>`;
  return html`<${Component} params=${route.params} query=${route.query} />`;
}

function NoSuchPage() {
  return html`<h1 tabindex="-1">There is no such page</h1>
    <${Empty} title="The address names no page of the console"><p><a href=${href('overview')}>Go to the first page</a></p><//>`;
}

function skip(event) {
  event.preventDefault();
  document.getElementById('content').focus();
}
