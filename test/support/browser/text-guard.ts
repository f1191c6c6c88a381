/** Detects what untrusted texts do to a page: code that ran or was refused, and elements that the dashboard never creates. */
import type { Page } from 'playwright-core';

/** Watches everything in the page, until it navigates to another document. */
export async function guardTexts(page: Page): Promise<void> {
  await page.addInitScript(watch);
  await page.reload();
}

/** @returns a sentence for each problem so far */
export const textTroubles = (page: Page): Promise<string[]> => page.evaluate('window.textGuard.found()');

/** Makes the router of the dashboard open another page, in the same document. */
export const route = (page: Page, path: string): Promise<void> =>
  page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );

/** @returns the texts that the page shows nowhere unchanged, ignoring how their spaces wrap */
export const missingTexts = (page: Page, texts: readonly string[]): Promise<string[]> =>
  page.evaluate(`(${missing})(${JSON.stringify(texts)})`);

/** Puts each text into the page as markup. @returns the texts that the guard does not notice */
export const unnoticedTexts = (page: Page, texts: readonly string[]): Promise<string[]> =>
  page.evaluate(`(${unnoticed})(${JSON.stringify(texts)})`);

/* These run in the page. */
const watch = `(() => {
  const found = [];
  Object.defineProperty(window, 'ran', { get: () => undefined, set: () => found.push('a script ran') });
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
    found.push(['the policy refused', effectiveDirective, blockedURI, sample].join(' ')));
  // The page itself loads only files of the dashboard.
  const files = { script: 'src', link: 'href', img: 'src' };
  const strange = /^(iframe|frame|object|embed|video|audio|source|style|base|math|mglyph|template|portal|x)$/;
  const addresses = /^(href|src|action|formaction|data|poster|xlink:href)$/;
  const isOwn = (url) => URL.canParse(url, location.href) && new URL(url, location.href).origin === location.origin;
  const isFile = (url) => url !== null && isOwn(url) && new URL(url, location.href).pathname.startsWith('/dashboard/');
  const attribute = (one, { name, value }) => {
    const isStrange = name.startsWith('on') || name === 'srcdoc' || name === 'http-equiv' ||
      (addresses.test(name) && URL.canParse(value, location.href) && !/^(https?|mailto|blob):$/.test(new URL(value, location.href).protocol)) ||
      (one.localName === 'form' && name === 'action' && !isOwn(value));
    if (isStrange) found.push(one.localName + ' has ' + name + '=' + value);
  };
  const look = (one) => {
    if (one.nodeType !== Node.ELEMENT_NODE) return;
    const tag = one.localName;
    if (strange.test(tag) || (files[tag] && !isFile(one.getAttribute(files[tag]))))
      found.push('an element: ' + one.outerHTML.slice(0, 100));
    for (const each of one.attributes) attribute(one, each);
    for (const child of one.children) look(child);
  };
  const seen = (records) => {
    for (const { type, target, attributeName, addedNodes } of records) {
      if (type === 'attributes') {
        const changed = target.getAttributeNode(attributeName);
        if (changed) attribute(target, changed);
      } else addedNodes.forEach(look);
    }
  };
  const observer = new MutationObserver(seen);
  observer.observe(document, { subtree: true, childList: true, attributes: true });
  window.textGuard = {
    found() {
      seen(observer.takeRecords());
      return found.splice(0);
    },
  };
})()`;

const missing = `(texts) => {
  const plain = (text) => text.replace(/\\s+/g, ' ').trim();
  const values = [...document.querySelectorAll('input, textarea')].map(({ value }) => value);
  const shown = plain([document.body.textContent, ...values].join('\\n'));
  return texts.filter((text) => !shown.includes(plain(text)));
}`;

const unnoticed = `(texts) => {
  window.textGuard.found();
  return texts.filter((text) => {
    const place = document.createElement('div');
    document.body.append(place);
    place.innerHTML = text;
    const isNoticed = window.textGuard.found().length > 0;
    place.remove();
    window.textGuard.found();
    return !isNoticed;
  });
}`;
