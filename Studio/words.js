// The languages of the page. Each part registers its words; t('key', {n: 3}) returns those of the chosen language.

const dictionaries = { en: {}, zh: {} };
const watchers = new Set();

function preferred() {
  // The command's option --language. A later choice of the user replaces it.
  const asked = new URLSearchParams(location.search).get('language');
  if (asked) history.replaceState(history.state, '', location.pathname + location.hash);
  try {
    if (asked === 'en' || asked === 'zh') localStorage.setItem('language', asked);
    const kept = localStorage.getItem('language');
    if (kept === 'en' || kept === 'zh') return kept;
  } catch { /* storage may be blocked */ }
  if (asked === 'en' || asked === 'zh') return asked;
  return navigator.languages?.some((name) => name.startsWith('zh')) ? 'zh' : 'en';
}

let language = preferred();
document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';

/** words: {en: {key: 'text {n}'}, zh: {...}}. Keys begin with the name of the part: 'room.wall'. */
export function register(words) {
  Object.assign(dictionaries.en, words.en);
  Object.assign(dictionaries.zh, words.zh);
}

/** A text with `||` has a singular and a plural, which n selects: '{n} packet||{n} packets'. */
export function t(key, values = {}) {
  let text = dictionaries[language][key] ?? dictionaries.en[key] ?? key;
  if (text.includes('||')) text = text.split('||')[Number(values.n) === 1 || values.n === '1' ? 0 : 1];
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Picks from a value with both languages, such as {en: '...', zh: '...'}. */
export function pick(text) {
  return typeof text === 'object' && text !== null ? (text[language] ?? text.en ?? '') : text;
}

export function currentLanguage() { return language; }

export function setLanguage(name) {
  language = name;
  try { localStorage.setItem('language', name); } catch { /* storage may be blocked */ }
  document.documentElement.lang = name === 'zh' ? 'zh-CN' : 'en';
  for (const watcher of watchers) watcher();
}

/** Calls watcher after each change of the language. Returns a function that ends this. */
export function onLanguage(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
