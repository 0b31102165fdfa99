import { createHash } from 'node:crypto';
import words from '#shared/i18n/guest-page.json' with { type: 'json' };

/*
 * The page that guests read: one answer that loads nothing. Its script is a text, because it runs in whatever browser a
 * guest has: no types, no modules, only what browsers of 2021 know. What was said is only ever text in it.
 */

const style = `
:root { color-scheme: light dark; font: 22px/1.4 system-ui, sans-serif }
* { box-sizing: border-box }
body { display: flex; flex-direction: column; height: 100vh; height: 100dvh; margin: 0 }
header { display: flex; flex-wrap: wrap; gap: 8px; padding: 8px 12px; border-bottom: 1px solid GrayText; font-size: 16px }
label { display: flex; flex: 1; gap: 8px; align-items: center }
select { flex: 1; min-width: 0; max-width: 20em }
select, button { min-width: 44px; min-height: 44px; font: inherit }
main { position: relative; flex: 1; overflow-y: auto; padding: 0 12px; overflow-wrap: anywhere }
main > div { margin: 12px 0; padding-inline-start: 10px; border-inline-start: 3px solid GrayText }
main > .theirs { padding-inline-start: 7px; border-inline-start: 6px double LinkText }
main p { margin: 0 }
main .open { font-style: italic }
#state { margin: 0; padding: 8px 12px; font-size: 16px }
#state:empty { padding: 0 }
#newest { align-self: center; margin: 4px }
#aloud, .side { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
`;

/** Lines that stay on the page. */
const KEPT = 500;
/** The server says something every 15 s: a line over which nothing comes for so long is dead, ms. */
const DEAD_MS = 40_000;
/** The same for somebody who looks at the page again, ms. */
const STALE_MS = 20_000;
/** Before the page asks again, ms: at first, and at last. */
const AGAIN_MS = 3000;
const RARELY_MS = 30_000;
/** Without a line for so long the page takes it for over, and asks no more, ms. */
const GIVE_UP_MS = 10 * 60_000;

const script = `
'use strict';
const all = ${JSON.stringify(words).replaceAll('<', '\\u003c')};
const code = navigator.languages.map((tag) => tag.split('-')[0].toLowerCase()).find((one) => all[one]) || 'en';
const words = all[code];
const [list, state, aloud, choice, newest] = ['list', 'state', 'aloud', 'choice', 'newest']
	.map((id) => document.getElementById(id));
const shown = new Map();
const offered = new Set();
let isTranslated = false;
let size = 22;

document.documentElement.lang = code;
document.documentElement.dir = code === 'ar' ? 'rtl' : 'ltr';
document.title = words.title;
list.setAttribute('aria-label', words.title);
document.getElementById('language').textContent = words.language;
choice.append(new Option(words.translation, ''));
for (const [id, step] of [['smaller', -2], ['larger', 2]]) {
	const button = document.getElementById(id);
	button.setAttribute('aria-label', words[id]);
	button.title = words[id];
	button.onclick = () => keepingEnd(() => {
		size = Math.min(60, Math.max(14, size + step));
		document.documentElement.style.fontSize = size + 'px';
	});
}
choice.onchange = () => keepingEnd(() => {
	for (const entry of shown.values()) draw(entry);
});
window.onresize = () => keepingEnd(() => {});

/* Whether the newest line was in view before the page changed; it is kept there. */
let isAtEnd = true;
function look() {
	isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
	newest.hidden = isAtEnd;
}
function keepingEnd(change) {
	const keep = isAtEnd;
	change();
	if (keep) list.scrollTop = list.scrollHeight;
	look();
}
list.onscroll = look;
newest.textContent = '↓ ' + words.newest;
newest.onclick = () => {
	/* The button goes away. */
	list.focus();
	list.scrollTop = list.scrollHeight;
	look();
};

/* As in the captions over other windows: the translation, or until it is there what was said. */
function textsOf({ pieces }) {
	const translations = pieces.filter(({ kind }) => kind === 'translation');
	const wanted = translations.filter(({ language }) => !choice.value || language === choice.value);
	if (wanted.length > 0) return wanted;
	return pieces.filter(({ kind }) => kind !== 'translation');
}

function lineOf({ kind, language, text, final }) {
	const line = document.createElement('p');
	line.lang = language;
	line.dir = 'auto';
	line.textContent = kind === 'lost' ? '[…]' : text;
	if (!final) line.className = 'open';
	return line;
}

/* Whose words, for those who do not see the edge; not "you", which is somebody else to each who reads. */
function contentOf(row) {
	const lines = textsOf(row).map(lineOf);
	if (!row.side) return lines;
	const side = document.createElement('span');
	side.className = 'side';
	side.textContent = row.side === 'mine' ? '1: ' : '2: ';
	return [side, ...lines];
}

function draw({ element, row }) {
	element.className = row.side || '';
	element.replaceChildren(...contentOf(row));
}

/* Read aloud once it is finished, and not before it is translated. */
function tell(entry) {
	const texts = textsOf(entry.row);
	const isReady = texts.every(({ kind, language, final }) =>
		final && (kind !== 'source' || !isTranslated || language === choice.value));
	if (!isReady || texts.length === 0 || entry.isTold) return;
	entry.isTold = true;
	const told = document.createElement('div');
	told.append(...contentOf(entry.row));
	aloud.append(told);
	while (aloud.childNodes.length > 8) aloud.firstChild.remove();
}

function offer({ kind, language }) {
	if (kind === 'translation') isTranslated = true;
	if (kind === 'lost' || language === 'und' || offered.has(language)) return;
	offered.add(language);
	let name = language;
	try {
		name = new Intl.DisplayNames([language], { type: 'language' }).of(language) || language;
	} catch {}
	const option = new Option(name, language);
	option.lang = language;
	choice.append(option);
}

function put(row) {
	const text = JSON.stringify(row);
	let entry = shown.get(row.key);
	if (entry && entry.text === text) return;
	if (!entry) {
		entry = { element: document.createElement('div') };
		shown.set(row.key, entry);
		list.append(entry.element);
	}
	Object.assign(entry, { row, text });
	row.pieces.forEach(offer);
	draw(entry);
	tell(entry);
}

function receive({ rows }, isFirst) {
	if (rows.length === 0) {
		list.replaceChildren();
		aloud.replaceChildren();
		shown.clear();
	}
	/* The line was away for longer than the newest lines reach back. */
	if (isFirst && shown.size > 0 && rows.every(({ key }) => !shown.has(key))) {
		const lost = { kind: 'lost', language: 'und', text: '', final: true };
		put({ key: 'before ' + rows[0].key, pieces: [lost] });
	}
	rows.forEach(put);
	for (const [key, { element }] of shown) {
		if (shown.size <= ${KEPT}) break;
		element.remove();
		shown.delete(key);
	}
}

function say(text) {
	if (state.textContent !== text) state.textContent = text;
}

/* Not left to EventSource: it asks for ever, and does not notice a line that is dead. */
let line = null;
let timer = 0;
let heardAt = Date.now();
let goneAt = 0;
let againMs = ${AGAIN_MS};
let isOver = false;

function after(ms, run) {
	clearTimeout(timer);
	timer = setTimeout(run, ms);
}

function connect() {
	let isFirst = true;
	if (line) line.close();
	line = new EventSource('captions');
	line.onmessage = ({ data }) => {
		heard();
		keepingEnd(() => receive(JSON.parse(data), isFirst));
		isFirst = false;
		say(shown.size === 0 ? words.empty : '');
	};
	line.addEventListener('here', heard);
	line.addEventListener('over', () => {
		isOver = true;
		end();
	});
	line.onerror = lose;
	after(${DEAD_MS}, lose);
}

function heard() {
	heardAt = Date.now();
	goneAt = 0;
	againMs = ${AGAIN_MS};
	after(${DEAD_MS}, lose);
}

function lose() {
	line.close();
	goneAt = goneAt || Date.now();
	if (Date.now() - goneAt >= ${GIVE_UP_MS}) {
		end();
		return;
	}
	say(words.gone);
	after(againMs, connect);
	againMs = Math.min(${RARELY_MS}, againMs * 1.5);
}

function end() {
	line.close();
	clearTimeout(timer);
	say(words.over);
}

/* A phone that was asleep: its timers were, too. */
document.addEventListener('visibilitychange', () => {
	if (document.visibilityState !== 'visible' || isOver || Date.now() - heardAt <= ${STALE_MS}) return;
	goneAt = 0;
	againMs = ${AGAIN_MS};
	connect();
});
connect();
`;

/** The whole page. */
export const guestPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dragoman</title>
<style>${style}</style>
</head>
<body>
<header>
<label><span id="language"></span><select id="choice"></select></label>
<button id="smaller" type="button">A−</button>
<button id="larger" type="button">A+</button>
</header>
<main id="list" tabindex="0"></main>
<button id="newest" type="button" hidden></button>
<p id="state" role="status"></p>
<div id="aloud" aria-live="polite"></div>
<script>${script}</script>
</body>
</html>
`;

/** Its content security policy: its own script and style, and the captions of its own server. */
export const guestPolicy = [
	"default-src 'none'",
	"connect-src 'self'",
	`script-src ${hashOf(script)}`,
	`style-src ${hashOf(style)}`,
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
	return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
