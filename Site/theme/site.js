// The search, the choice of colours, and what depends on the way in which a page was opened.
(() => {
  const root = document.documentElement.dataset.root;
  const language = document.documentElement.dataset.language;

  // MARK: Colours

  const THEMES = ['system', 'light', 'dark'];
  let theme = 'system';
  try { theme = THEMES.find((name) => name === localStorage.getItem('theme')) ?? 'system'; } catch { /* storage may be blocked */ }
  const apply = () => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  apply();
  document.querySelector('.theme').addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    try { localStorage.setItem('theme', theme); } catch { /* storage may be blocked */ }
    apply();
  });

  // MARK: The list of pages is open where there is room for it

  const menu = document.querySelector('.menu');
  const isWide = matchMedia('(min-width: 900px)');
  const fold = () => { menu.open = isWide.matches; };
  fold();
  isWide.addEventListener('change', fold);
  const current = menu.querySelector('[aria-current]');
  if (current && isWide.matches) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
  if (location.protocol !== 'file:') for (const hint of document.querySelectorAll('.served')) hint.hidden = true;

  // MARK: The search

  const input = document.querySelector('.search input');
  const list = document.querySelector('#found');
  const LIMIT = 20;
  const indexes = new Map();
  let loading = null;

  // An index is a script, because a page that was opened from a file may load scripts and nothing else.
  globalThis.siteSearch = (name, entries) => {
    indexes.set(name, entries.map(([address, title, heading, text]) => ({
      address, title, heading, text, low: { title: title.toLowerCase(), heading: heading.toLowerCase(), text: text.toLowerCase() },
    })));
  };
  const load = (name) => new Promise((resolve) => {
    const script = document.createElement('script');
    script.src = `${root}search-${name}.js`;
    script.onload = script.onerror = resolve;
    document.head.append(script);
  });
  // The reference does not open from a file.
  const names = ['en', 'zh', ...('reference' in document.documentElement.dataset && location.protocol !== 'file:' ? ['reference'] : [])];
  const loadAll = () => { loading ??= Promise.all(names.map(load)); return loading; };

  function score(entry, terms) {
    let points = 0;
    for (const term of terms) {
      const { title, heading, text } = entry.low;
      const word = new RegExp(`(^|[^\\p{L}\\p{N}])${term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}($|[^\\p{L}\\p{N}])`, 'u');
      const own = (title.includes(term) ? 12 : 0) + (heading.includes(term) ? 16 : 0) + (word.test(heading) ? 10 : 0) + (word.test(title) ? 6 : 0)
        + (text.includes(term) ? 3 : 0) + (word.test(text) ? 3 : 0);
      if (own === 0) return 0;
      points += own;
    }
    // A page or a section with exactly this name comes first.
    const whole = terms.join(' ');
    points += (entry.low.title === whole ? 30 : 0) + (entry.low.heading === whole ? 15 : 0);
    // Pages for contributors, and lists, come after those for users.
    if (/Internals|Chinese|Mutation|Flaky|CHANGELOG|TestSuites|Interop|Benchmarks|Fuzz|Sources/.test(entry.address)) points *= 0.6;
    return points + (entry.heading === '' ? 12 : 0) + (entry.address.includes('Guides/') ? 3 : 0);
  }

  const MOST_SYMBOLS = 8;

  /** Symbols of the reference, if the text looks like one: `CBPeripheral`, `didConnect`, `.connectionTimeout`. */
  function symbols(text) {
    if (!/^\.?(CB|BLE|[a-z]+[A-Z]|[A-Z][a-z]+[A-Z])\w*$/.test(text)) return [];
    const name = text.toLowerCase().replace('.', '');
    const found = (indexes.get('reference') ?? []).filter((entry) => entry.low.title.startsWith(name) || entry.low.text.includes(name));
    const order = (entry) => (entry.low.title === name ? 0 : entry.low.title.startsWith(name) ? 1 : 2);
    return found.sort((one, other) => order(one) - order(other) || one.title.length - other.title.length).slice(0, MOST_SYMBOLS);
  }

  function search(text) {
    const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (terms.length === 0) return null;
    const found = symbols(text.trim());
    for (const name of language === 'zh' ? ['zh', 'en'] : ['en', 'zh']) {
      const matches = (indexes.get(name) ?? []).map((entry) => ({ entry, points: score(entry, terms) })).filter((item) => item.points > 0);
      // Words of the page's own language come first.
      found.push(...matches.sort((one, other) => other.points - one.points).map((item) => item.entry));
    }
    return { terms, items: found.slice(0, LIMIT) };
  }

  /** The surroundings of the first term, with the terms marked. */
  function excerpt(entry, terms) {
    const at = Math.max(0, ...terms.map((term) => entry.low.text.indexOf(term)));
    const from = Math.max(0, at - 40);
    const text = `${from > 0 ? '…' : ''}${entry.text.slice(from, from + 140)}`;
    const element = document.createElement('small');
    const pattern = new RegExp(`(${terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'gi');
    text.split(pattern).forEach((part, index) => {
      const node = index % 2 ? document.createElement('mark') : document.createElement('span');
      node.textContent = part;
      element.append(node);
    });
    return element;
  }

  function show(result) {
    list.replaceChildren();
    list.hidden = result === null;
    input.setAttribute('aria-expanded', String(result !== null));
    if (result === null) return;
    for (const [index, entry] of result.items.entries()) {
      const item = document.createElement('li');
      const anchor = document.createElement('a');
      const name = document.createElement('b');
      item.setAttribute('role', 'option');
      item.id = `found-${index}`;
      anchor.href = root + entry.address;
      anchor.tabIndex = -1;
      name.textContent = entry.heading ? `${entry.title}: ${entry.heading}` : entry.title;
      anchor.append(name, excerpt(entry, result.terms));
      item.append(anchor);
      list.append(item);
    }
    if (result.items.length === 0) {
      const item = document.createElement('li');
      item.className = 'none';
      item.textContent = input.dataset.none;
      list.append(item);
    }
  }

  const choices = () => [...list.querySelectorAll('[role=option]')];
  function choose(index) {
    const items = choices();
    for (const item of items) item.removeAttribute('aria-selected');
    const item = items[(index + items.length) % items.length];
    if (!item) return;
    item.setAttribute('aria-selected', 'true');
    item.scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', item.id);
  }

  input.addEventListener('focus', loadAll);
  input.addEventListener('input', async () => { await loadAll(); show(search(input.value)); });
  input.addEventListener('keydown', (event) => {
    const items = choices();
    const at = items.findIndex((item) => item.hasAttribute('aria-selected'));
    if (event.key === 'ArrowDown') choose(at + 1);
    else if (event.key === 'ArrowUp') choose(at < 0 ? items.length - 1 : at - 1);
    else if (event.key === 'Enter') (items[at] ?? items[0])?.querySelector('a').click();
    else if (event.key === 'Escape') { input.value = ''; show(null); }
    else return;
    event.preventDefault();
  });
  document.addEventListener('click', (event) => { if (!event.target.closest('.search')) show(null); });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !event.target.closest('input, textarea, select') && !event.ctrlKey && !event.metaKey) { event.preventDefault(); input.focus(); }
  });
})();
