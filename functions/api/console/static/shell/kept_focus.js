// The focus stays where a person works with the keyboard: if what has it is taken away, what was around it gets it.
import { useEffect } from '../lib/dom.js';

const AROUND = 'dialog, form, section, main';

/** Follow the focus, as long as the component that calls this is drawn. */
export function useKeptFocus() {
  useEffect(() => {
    let focused = null;
    let around = [];
    const follow = ({ target }) => {
      focused = target;
      around = ancestors(target);
    };
    // A press beside all controls takes the focus away, and it is not brought back.
    const leave = () => { focused = null; };
    const keep = () => {
      if (!focused || focused.isConnected || document.activeElement !== document.body) return;
      focused = null;
      const next = around.find((each) => each.isConnected) ?? document.getElementById('content');
      // The form for a key has no content, and takes the focus itself.
      if (!next) return;
      if (!next.hasAttribute('tabindex')) next.tabIndex = -1;
      next.focus({ preventScroll: true });
    };
    const watched = new MutationObserver(keep);
    watched.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', follow);
    document.addEventListener('pointerdown', leave);
    return () => {
      watched.disconnect();
      document.removeEventListener('focusin', follow);
      document.removeEventListener('pointerdown', leave);
    };
  }, []);
}

function ancestors(element) {
  const found = [];
  for (let each = element.parentElement?.closest(AROUND); each; each = each.parentElement?.closest(AROUND)) found.push(each);
  return found;
}
