import { createHash } from 'node:crypto';
import { guestScript } from './guest-script.ts';

/* The page that guests read: one answer that loads nothing. */

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
main small { display: block; font-size: 0.7em }
#state { margin: 0; padding: 8px 12px; font-size: 16px }
#state:empty { padding: 0 }
#newest { align-self: center; margin: 4px }
#aloud, .side { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
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
<button id="smaller" type="button" dir="ltr">A−</button>
<button id="larger" type="button" dir="ltr">A+</button>
</header>
<main id="list" tabindex="0"></main>
<button id="newest" type="button" hidden></button>
<p id="state" role="status"></p>
<div id="aloud" aria-live="polite"></div>
<script>${guestScript}</script>
</body>
</html>
`;

/** Its content security policy: its own script and style, and the captions of its own server. */
export const guestPolicy = [
	"default-src 'none'",
	"connect-src 'self'",
	`script-src ${hashOf(guestScript)}`,
	`style-src ${hashOf(style)}`,
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
	return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
