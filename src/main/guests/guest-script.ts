import words from '#shared/i18n/guest-page.json' with { type: 'json' };
import { createVoiceCoder, VOICE_BLOCK } from '#shared/sound/voice-block.ts';

/*
 * The script of a guest's page. It is a text, because it runs in whatever browser a guest has: no types, no
 * modules, only what browsers of 2021 know. It treats what was said only as text, never as code.
 */

/** Lines kept on the page. */
const KEPT = 500;
/** How many texts that were read aloud stay, for screen-reader users who go back to them. */
const KEPT_ALOUD = 8;
/** The server sends something every 15 s: after this long without anything the connection is dead, ms. */
const DEAD_MS = 40_000;
/** The same when the guest returns to the page, ms. */
const STALE_MS = 20_000;
/** Delay before the page connects again, ms: initial, and longest. */
const AGAIN_MS = 3000;
const RARELY_MS = 30_000;
/** A hidden page without a connection for this long stops asking until it is visible again, ms. */
const GIVE_UP_MS = 10 * 60_000;
/** Delay of playback, to wait for late blocks, and its upper limit, s. */
const WAITS_S = 0.1;
const WAITS_MOST_S = 0.18;
/** This many missing blocks are a pause: after it, playback returns to its usual delay. */
const PAUSE = 5;
/** This many late blocks in this time mean that the connection is too slow, ms. */
const LATE_MOST = 4;
const LATE_MS = 10_000;
/** Sizes of the text, CSS px. */
const SIZE = { first: 22, smallest: 14, largest: 60, step: 2 };

export const guestScript = `
'use strict';
const all = ${JSON.stringify(words).replaceAll('<', '\\u003c')};
const code = navigator.languages.map((tag) => tag.split('-')[0].toLowerCase()).find((one) => all[one]) || 'en';
const words = all[code];
const [list, state, aloud, choice, newest, live, ear] = ['list', 'state', 'aloud', 'choice', 'newest', 'live', 'listen']
	.map((id) => document.getElementById(id));
/* Identifies this guest, so that a new connection replaces a dead one instead of counting as another guest. */
const me = Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join('');
const shown = new Map();
const offered = new Set();
let isTranslated = false;

/* The choices survive a reload, if the browser allows that. */
let kept = {};
try {
	kept = JSON.parse(sessionStorage.getItem('kept')) || {};
} catch {}
let size = kept.size || ${SIZE.first};
function remember() {
	try {
		sessionStorage.setItem('kept', JSON.stringify({ size, language: choice.value }));
	} catch {}
}

function resize(step) {
	size = Math.min(${SIZE.largest}, Math.max(${SIZE.smallest}, size + step));
	document.documentElement.style.fontSize = size + 'px';
}
resize(0);

document.documentElement.lang = code;
document.documentElement.dir = code === 'ar' ? 'rtl' : 'ltr';
document.title = words.title;
list.setAttribute('aria-label', words.title);
document.getElementById('language').textContent = words.language;
choice.append(new Option(words.automatic, ''));
live.textContent = words.live;
if (kept.language) {
	offer({ kind: 'source', language: kept.language, final: true });
	choice.value = kept.language;
}
for (const [id, step] of [['smaller', -${SIZE.step}], ['larger', ${SIZE.step}]]) {
	const button = document.getElementById(id);
	button.setAttribute('aria-label', words[id]);
	button.onclick = () => {
		keepingEnd(() => resize(step));
		remember();
	};
}
choice.onchange = () => {
	keepingEnd(() => {
		for (const entry of shown.values()) {
			passOver(entry);
			draw(entry);
		}
	});
	remember();
	tune();
};
window.onresize = () => keepingEnd(() => {});

/* Whether the newest line was in view before the page changed; if so, it is kept in view. */
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
	/* The button disappears, so focus the list. */
	list.focus();
	list.scrollTop = list.scrollHeight;
	look();
};

const isChosen = ({ language }) => !choice.value || language === choice.value;
/* Treats Chinese of either script as the same. */
const isAlike = ({ language }) => language.split('-')[0] === choice.value.split('-')[0];

/* As in the captions over other windows: the translation or, until it arrives, the original; never nothing. */
function textsOf({ pieces }) {
	const translations = pieces.filter(({ kind }) => kind === 'translation');
	const said = pieces.filter(({ kind }) => kind !== 'translation');
	for (const fits of [isChosen, isAlike]) {
		for (const texts of [translations, said]) {
			const found = texts.filter(fits);
			if (found.length > 0) return found;
		}
	}
	return said.length > 0 ? said : translations;
}

function lineOf({ kind, language, text, final, dir }) {
	const line = document.createElement('p');
	line.lang = kind === 'lost' ? code : language;
	line.dir = dir || 'auto';
	line.textContent = kind === 'lost' ? words.missed : text;
	if (!final) line.className = 'open';
	return line;
}

function contentOf({ side }, texts) {
	const content = texts.map(lineOf);
	/*
	 * Names the speaker for those who cannot see the edge; not "you", which would mean someone else to each
	 * reader.
	 */
	if (side) {
		const mark = document.createElement('span');
		mark.className = 'side';
		mark.textContent = side === 'mine' ? '1: ' : '2: ';
		content.unshift(mark);
	}
	return content;
}

function draw({ element, row }) {
	element.className = row.side || '';
	element.replaceChildren(...contentOf(row, textsOf(row)));
}

const nameOf = ({ language, text }) => language + ' ' + text;

/*
 * Has each text read aloud once: when it is finished and translated, or when the row will not change any
 * more.
 */
function tell({ row, told }, isLast) {
	for (const text of textsOf(row)) {
		const isReady = text.final && (text.kind !== 'source' || !isTranslated || isAlike(text));
		if (told.has(nameOf(text)) || !(isReady || isLast)) continue;
		told.add(nameOf(text));
		const line = document.createElement('div');
		line.append(...contentOf(row, [text]));
		aloud.append(line);
	}
	while (aloud.childNodes.length > ${KEPT_ALOUD}) aloud.firstChild.remove();
}

/* Marks texts that are already finished, so that they are not read aloud. */
function passOver({ row, told }) {
	for (const piece of row.pieces) if (piece.final) told.add(nameOf(piece));
}

function offer({ kind, language, final }) {
	if (kind === 'translation') isTranslated = true;
	/* The recognised language may still change while someone is speaking. */
	const isSettled = final || kind === 'translation';
	if (kind === 'lost' || language === 'und' || !isSettled || offered.has(language)) return;
	offered.add(language);
	const option = new Option(nativeName(language), language);
	option.lang = language;
	choice.append(option);
}

/* Each language is listed under its own name, because its readers look for that. */
function nativeName(language) {
	try {
		const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) || language;
		return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
	} catch {
		return language;
	}
}

/* Names the automatic choice: the languages into which the newest lines are translated. */
function nameAutomatic(rows) {
	const told = rows.flatMap(({ pieces }) => pieces).filter(({ kind }) => kind === 'translation');
	if (told.length === 0) return;
	const names = Array.from(new Set(told.map(({ language }) => nativeName(language)))).sort();
	const text = names.join(', ') + ' · ' + words.automatic;
	if (choice.options[0].text !== text) choice.options[0].text = text;
}

let isJoining = true;

function put(row, following) {
	const text = JSON.stringify(row);
	let entry = shown.get(row.key);
	if (entry && entry.text === text) return;
	if (!entry) {
		const next = following.map(({ key }) => shown.get(key)).find(Boolean);
		entry = { element: document.createElement('div'), told: new Set() };
		shown.set(row.key, entry);
		list.insertBefore(entry.element, next ? next.element : null);
	}
	Object.assign(entry, { row, text });
	row.pieces.forEach(offer);
	draw(entry);
	if (isJoining) passOver(entry);
	tell(entry, false);
}

let part = 0;
/* Numbers of the rows that may still change. */
let latest = [];

function receive(frame, isFirst) {
	const { rows } = frame;
	if (rows.length === 0 || frame.part !== part) {
		list.replaceChildren();
		aloud.replaceChildren();
		shown.clear();
	}
	part = frame.part;
	const known = new Set(rows.map(({ key }) => key));
	for (const key of latest) if (shown.has(key) && !known.has(key)) tell(shown.get(key), true);
	latest = [...known];
	/* The connection was lost for so long that some lines are missing before the newest ones. */
	if (isFirst && shown.size > 0 && rows.every(({ key }) => !shown.has(key))) {
		const lost = { kind: 'lost', language: 'und', text: '', final: true };
		put({ key: 'before ' + rows[0].key, pieces: [lost] }, []);
	}
	rows.forEach((row, at) => put(row, rows.slice(at + 1)));
	nameAutomatic(rows);
	isJoining = false;
	for (const [key, { element }] of shown) {
		if (shown.size <= ${KEPT}) break;
		element.remove();
		shown.delete(key);
	}
}

/* Messages about the captions and about the sound. */
let said = '';
let noted = '';
function say(text) {
	said = text;
	const next = [said, noted].filter(Boolean).join(' ');
	if (state.textContent === next) return;
	keepingEnd(() => {
		state.textContent = next;
	});
}
function note(text) {
	noted = text;
	say(said);
}

/* We reconnect ourselves: EventSource retries for ever, and does not notice a dead connection. */
let line = null;
let timer = 0;
let heardAt = Date.now();
let goneAt = 0;
let againMs = ${AGAIN_MS};
let isOver = false;
let isLost = true;
/* True while a conversation is running. */
let isRunning = false;

function showLive() {
	live.hidden = !isRunning || isLost || isOver;
}
showLive();

function after(ms, run) {
	clearTimeout(timer);
	timer = setTimeout(run, ms);
}

/*
 * The voice of a language, in blocks that are played as they arrive. The audio context is created when the
 * button is pressed, otherwise no phone plays it.
 */
let voices = [];
let sound = null;
/* The language being heard, and a function that stops it. */
let tuned = '';
let untune = () => {};
const coder = (${createVoiceCoder})();

/* The chosen language or, without a choice, the phone's own, if it is spoken. */
function voiceWanted() {
	const wishes = choice.value ? [choice.value] : navigator.languages;
	for (const wish of wishes) {
		const found = voices.find((one) => one === wish) || voices.find((one) => one.split('-')[0] === wish.split('-')[0]);
		if (found) return found;
	}
	return choice.value ? '' : voices[0] || '';
}

function tune() {
	const wanted = isOver || isLost ? '' : voiceWanted();
	ear.hidden = isOver || (!sound && !wanted);
	const text = sound ? words.stopListening : words.listen;
	if (ear.textContent !== text) ear.textContent = text;
	ear.classList.toggle('on', sound !== null);
	const next = sound ? wanted : '';
	if (next === tuned) return;
	untune();
	untune = () => {};
	tuned = next;
	note('');
	if (next) hear(next, sound);
}

function hush() {
	if (sound) sound.close();
	sound = null;
	tune();
}

ear.onclick = () => {
	if (sound) hush();
	else {
		const Sound = window.AudioContext || window.webkitAudioContext;
		try {
			sound = new Sound({ latencyHint: 'interactive', sampleRate: ${VOICE_BLOCK.rateHz} });
		} catch {
			sound = new Sound();
		}
		/* Play even on an iPhone that is switched to silent, or locked. */
		if (navigator.audioSession) navigator.audioSession.type = 'playback';
		sound.resume();
		tune();
	}
};

async function hear(language, into) {
	const stopping = new AbortController();
	const player = createPlayer(into);
	let isEnded = false;
	untune = () => {
		isEnded = true;
		stopping.abort();
		player.stop();
	};
	try {
		const answer = await fetch('voice/' + me + '/' + language, { signal: stopping.signal });
		const reader = answer.ok && answer.body.getReader();
		let rest = new Uint8Array(0);
		while (reader) {
			const { value, done } = await reader.read();
			if (done || isEnded) break;
			const bytes = new Uint8Array(rest.length + value.length);
			bytes.set(rest);
			bytes.set(value, rest.length);
			let at = 0;
			for (; at + ${VOICE_BLOCK.bytes} <= bytes.length; at += ${VOICE_BLOCK.bytes})
				player.play(bytes.subarray(at, at + ${VOICE_BLOCK.bytes}));
			rest = bytes.slice(at);
		}
	} catch {}
	if (isEnded) return;
	tuned = '';
	untune = () => {};
	setTimeout(tune, ${AGAIN_MS});
}

/* A block's number gives its time. Timing restarts with a block that comes too late or would wait too long. */
function createPlayer(into) {
	const rate = ${VOICE_BLOCK.rateHz};
	const length = ${VOICE_BLOCK.samples} / rate;
	const samples = new Float32Array(${VOICE_BLOCK.samples});
	const playing = new Set();
	let last = -Infinity;
	/* When the block with the number 0 was due. */
	let zero = 0;
	/* Playback is scheduled up to here. */
	let end = 0;
	let late = [];
	return {
		play(block) {
			if (into.state !== 'running') return;
			const number = coder.decode(block, samples);
			const now = into.currentTime;
			const due = zero + number * length;
			const isNext = number > last && number - last <= ${PAUSE};
			if (isNext && due < now) tooLate();
			if (!isNext || due < now || due > now + ${WAITS_MOST_S}) zero = now + ${WAITS_S} - number * length;
			last = number;
			const start = Math.round((zero + number * length) * rate) / rate;
			/* Skip a block that would overlap the previous one. */
			if (start < end - 0.5 / rate) return;
			end = start + length;
			const buffer = into.createBuffer(1, samples.length, rate);
			buffer.getChannelData(0).set(samples);
			const source = into.createBufferSource();
			source.buffer = buffer;
			source.connect(into.destination);
			source.onended = () => playing.delete(source);
			playing.add(source);
			source.start(start);
		},
		stop() {
			for (const source of playing) source.disconnect();
		},
	};
	function tooLate() {
		const now = Date.now();
		late = late.filter((at) => now - at < ${LATE_MS}).concat(now);
		if (late.length >= ${LATE_MOST}) note(words.slow);
		setTimeout(() => {
			if (late.length > 0 && Date.now() - late[late.length - 1] >= ${LATE_MS}) {
				late = [];
				note('');
			}
		}, ${LATE_MS} + 100);
	}
}

function connect() {
	let isFirst = true;
	if (line) line.close();
	line = new EventSource('captions/' + me);
	line.onmessage = ({ data }) => {
		heard();
		keepingEnd(() => receive(JSON.parse(data), isFirst));
		isFirst = false;
		say(shown.size === 0 ? words.empty : '');
	};
	line.addEventListener('here', heard);
	line.addEventListener('live', ({ data }) => {
		isRunning = data === 'yes';
		heard();
	});
	line.addEventListener('voices', ({ data }) => {
		voices = JSON.parse(data);
		for (const language of voices) offer({ kind: 'source', language, final: true });
		heard();
	});
	line.addEventListener('full', () => lose(words.full));
	line.addEventListener('over', () => {
		isOver = true;
		showLive();
		hush();
		line.close();
		clearTimeout(timer);
		say(words.over);
	});
	line.onerror = dead;
	after(${DEAD_MS}, dead);
}

function heard() {
	isLost = false;
	showLive();
	tune();
	heardAt = Date.now();
	goneAt = 0;
	againMs = ${AGAIN_MS};
	after(${DEAD_MS}, dead);
}

function dead() {
	lose(words.gone);
}

function lose(why) {
	isLost = true;
	showLive();
	tune();
	line.close();
	clearTimeout(timer);
	say(why);
	goneAt = goneAt || Date.now();
	if (document.hidden && Date.now() - goneAt >= ${GIVE_UP_MS}) return;
	after(againMs, connect);
	againMs = Math.min(${RARELY_MS}, againMs * 1.5);
}

function again() {
	if (isOver) return;
	goneAt = 0;
	againMs = ${AGAIN_MS};
	connect();
}
window.ononline = again;
/* A phone that wakes up: its timers did not run while it slept. */
document.addEventListener('visibilitychange', () => {
	if (!document.hidden && Date.now() - heardAt > ${STALE_MS}) again();
	/* A call or the phone may have suspended the sound. */
	if (!document.hidden && sound) sound.resume();
});
connect();
`;
