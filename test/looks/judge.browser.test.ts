import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import {
	captionsWithoutRoom,
	coveredElements,
	cutElements,
	endsUnderButtons,
	focusOutOfView,
	framesTooHigh,
	iconsOnTexts,
	judge,
	mainButtonOutOfView,
	nativeTips,
	nestedScrolling,
	overlappingTexts,
	smallTargets,
	squeezedTexts,
	textsCutWithoutTip,
	textsOutOfTheirBox,
	unevenRows,
	unreadablePlaceholders,
	windowThatScrolls,
	wrongRings,
} from './judge.ts';

let root: HTMLElement;

beforeEach(async () => {
	await page.viewport(400, 300);
	document.body.style.margin = '0';
	root = document.createElement('div');
	document.body.append(root);
});

afterEach(() => {
	root.remove();
	for (const layer of document.querySelectorAll('.layer')) layer.remove();
});

/** A line is 20 px high, a letter of its own width. */
const WORDS = 'font: 16px / 20px monospace';

function show(html: string): HTMLElement {
	root.innerHTML = html;
	return root;
}

/** The settings' switch: its input is there for assistive technology, and its label is pressed. */
const hiddenInput = (type: string) =>
	`<span style="position: absolute; width: 1px; height: 1px; overflow: hidden"><input type="${type}"></span>`;

describe('the window itself', () => {
	test('must not be there to scroll', () => {
		show('<div style="height: 250px"></div>');
		expect(windowThatScrolls(root)).toEqual([]);
		show('<div style="height: 340px"></div>');
		expect(windowThatScrolls(root)).toContain('html could be scrolled by 0 × 40');
		scrollTo(0, 30);
		expect(windowThatScrolls(root)).toContain('html is scrolled');
	});

	test('a part of it may', () => {
		show('<div style="height: 200px; overflow: auto"><div style="height: 900px"></div></div>');
		expect(windowThatScrolls(root)).toEqual([]);
	});
});

describe('what is cut', () => {
	test('by what hides the rest of it, and by the window', () => {
		show(`<div class="_bar_1x2y3_7" style="width: 100px; height: 40px; overflow: hidden">
			<button style="width: 160px; height: 30px">Start</button></div>
			<p style="position: absolute; left: 380px; top: 100px; white-space: nowrap">Longer than that</p>`);
		expect(cutElements(root)).toEqual([
			'button “Start” is cut by div.bar “Start”',
			'p “Longer than that” is cut by the window',
		]);
	});

	test('not what can be scrolled to', () => {
		show(`<div style="width: 100px; height: 40px; overflow: auto">
			<button style="width: 160px; height: 130px">Start</button></div>`);
		expect(cutElements(root)).toEqual([]);
	});

	test('not what ends in three dots, nor a text in another element within it', () => {
		show(`<div style="overflow: hidden; width: 120px"><h1 style="overflow: hidden; text-overflow: ellipsis;
			white-space: nowrap; width: 120px; line-height: 0.8"><bdi>A name that is longer than its place</bdi></h1></div>`);
		expect(cutElements(root)).toEqual([]);
	});

	test('not the select that a list of ours stands for, a skip link, or what is hidden from everybody', () => {
		show(`<div aria-hidden="true" style="position: fixed; width: 1px; height: 1px; overflow: hidden">
			<label>Theme<select><option>Light</option></select></label></div>
			<a href="#main" style="position: absolute; opacity: 0; top: -50px">Skip to the page</a>
			<p style="position: absolute; top: -50px; visibility: hidden">Nobody reads it</p>
			<p hidden>Nor this</p>`);
		expect(cutElements(root)).toEqual([]);
	});

	test('a skip link that has come to be seen counts', () => {
		show('<a href="#main" style="position: absolute; top: -9px">Skip to the page</a>');
		expect(cutElements(root)).toEqual(['a “Skip to the page” is cut by the window']);
	});

	test('not the oldest lines of the caption box', () => {
		const lines = (name: string) => `<div ${name} style="height: 40px; overflow: hidden; display: flex;
			flex-direction: column; justify-content: end; ${WORDS}"><p style="flex: none; margin: 0">One</p>
			<p style="flex: none; margin: 0">Two</p><p style="flex: none; margin: 0">Three</p></div>`;
		show(lines('data-testid="caption-box"'));
		expect(cutElements(root)).toEqual([]);
		expect(cutElements(show(lines('id="notes"')))).toEqual([
			expect.stringMatching(/^p “One” is cut by div#notes/),
		]);
	});

	test('is named without what is numbered anew at each start', () => {
		show(`<button id="react-aria123-_r_7_" class="_round_9zzz9_12" style="position: absolute; left: 390px;
			top: 0; width: 40px; height: 30px">Go</button>`);
		expect(cutElements(root)).toEqual(['button.round “Go” is cut by the window']);
	});
});

describe('what is covered', () => {
	const below = '<button style="width: 100px; height: 40px">Mute</button>';

	test('by another thing where it would be pressed', () => {
		show(
			`${below}<div id="veil" style="position: absolute; inset: 0 auto auto 0; width: 200px; height: 60px"></div>`,
		);
		expect(coveredElements(root)).toEqual(['button “Mute” is covered by div#veil “”']);
		expect(coveredElements(show(below))).toEqual([]);
	});

	test('not a hidden input by its own label', () => {
		show(`<label style="position: relative; display: block; width: 120px; height: 32px">
			${hiddenInput('checkbox')}<span style="display: block; height: 32px">Keep it</span></label>`);
		expect(coveredElements(root)).toEqual([]);
	});

	test('but a label, by something over it', () => {
		show(`<label style="position: relative; display: block; width: 120px; height: 32px">
			${hiddenInput('checkbox')}<span>Keep it</span></label>
			<div id="veil" style="position: absolute; inset: 0 auto auto 0; width: 200px; height: 60px"></div>`);
		expect(coveredElements(root)).toEqual(['input “” is covered by div#veil “”']);
	});

	test('not the page by the controls at its foot, which it scrolls under', () => {
		show(`<div style="height: 100px; overflow: auto">${below}
			<section style="position: sticky; bottom: 0; top: 0; height: 60px; margin-top: -60px">Dock</section></div>`);
		expect(coveredElements(root)).toEqual([]);
	});

	test('not the page by a dialog over it', () => {
		show(below);
		const layer = document.createElement('div');
		layer.className = 'layer';
		layer.innerHTML =
			'<div role="dialog" style="position: absolute; inset: 0; width: 200px; height: 80px">Sure?</div>';
		document.body.append(layer);
		expect(coveredElements(root)).toEqual([]);
	});

	test('not what is scrolled out of sight, or inert', () => {
		show(`<div style="height: 60px; overflow: auto"><div style="height: 100px"></div>${below}</div>
			<div style="height: 80px; background: white"></div><div inert>${below}</div>`);
		expect(coveredElements(root)).toEqual([]);
	});
});

describe('two texts on each other', () => {
	const at = (top: number, text: string, more = '') =>
		`<p style="position: absolute; margin: 0; left: 0; top: ${top}px; ${WORDS}; ${more}">${text}</p>`;

	test('are seen, and two below each other are not', () => {
		expect(overlappingTexts(show(at(0, 'First line') + at(10, 'Second line')))).toEqual([
			'p “First line” and p “Second line” overlap',
		]);
		expect(overlappingTexts(show(at(0, 'First line') + at(20, 'Second line')))).toEqual([]);
	});

	test('not where one lies in an opaque panel', () => {
		const panel = (color: string) => `${at(0, 'Below')}<div style="position: absolute; inset: 0 auto auto 0;
			width: 200px; height: 60px; background: ${color}">${at(2, 'On the panel')}</div>`;
		expect(overlappingTexts(show(panel('white')))).toEqual([]);
		expect(overlappingTexts(show(panel('rgba(255, 255, 255, 0.4)')))).toHaveLength(1);
	});

	test('not what is there for assistive technology alone', () => {
		expect(overlappingTexts(show(at(0, 'Seen') + at(0, 'Heard', 'clip-path: inset(50%)')))).toEqual([]);
		expect(overlappingTexts(show(at(0, 'Seen') + at(0, 'Faint', 'opacity: 0')))).toEqual([]);
	});

	test('not on the page that a dialog has closed off', () => {
		const both = at(0, 'First line') + at(10, 'Second line');
		expect(overlappingTexts(show(`<div inert>${both}</div>`))).toEqual([]);
	});

	test('not what has scrolled out of its list, under what stands above the list', () => {
		const list = (
			top: number,
		) => `${at(0, 'Above the list')}<div style="position: absolute; inset: 20px auto auto 0;
			width: 200px; height: 60px; overflow: auto">${at(top, 'In the list')}</div>`;
		expect(overlappingTexts(show(list(-9)))).toEqual([]);
		expect(overlappingTexts(show(list(-9).replace('overflow: auto', '')))).toHaveLength(1);
	});

	test('not what an ellipsis takes away', () => {
		const cut = 'inline-size: 60px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap';
		const beside = at(0, 'Beside it', 'inset-inline-start: 70px');
		expect(overlappingTexts(show(at(0, 'A text that ends in an ellipsis', cut) + beside))).toEqual([]);
		expect(
			overlappingTexts(show(at(0, 'A text that goes on and on', 'white-space: nowrap') + beside)),
		).toHaveLength(1);
	});
});

describe('the sign on a button', () => {
	const row = (end: number) => `<div style="position: relative; ${WORDS}">
		<p style="margin: 0; width: 200px">A long line of what was said</p>
		<button style="position: absolute; top: 0; right: ${end}px; padding: 4px; border: 0; background: none">
			<svg width="16" height="16" style="display: block"></svg></button></div>`;

	test('does not lie on a text beside it', () => {
		expect(iconsOnTexts(show(row(300)))).toEqual(['button “” lies on p “A long line of what was said”']);
		expect(iconsOnTexts(show(row(0)))).toEqual([]);
	});

	test('does not lie there either where only a pointer or the keyboard brings it out', () => {
		const style = '<style>button { opacity: 0 }</style>';
		expect(iconsOnTexts(show(style + row(300)))).toHaveLength(1);
		expect(iconsOnTexts(show(style + row(0)))).toEqual([]);
	});

	test('may stand beside the words of its own button', () => {
		expect(
			iconsOnTexts(
				show('<button><svg width="16" height="16" style="margin-inline-end: -20px"></svg>Save</button>'),
			),
		).toEqual([]);
	});
});

describe('a target', () => {
	const button = (px: number) =>
		`<button style="padding: 0; border: 0; width: 60px; height: ${px}px">Go</button>`;

	test('is 24 px at least', () => {
		expect(smallTargets(show(button(23)))).toEqual(['button “Go” is 60 × 23 px']);
		expect(smallTargets(show(button(24)))).toEqual([]);
	});

	test('may be as high as its line within a sentence', () => {
		expect(smallTargets(show(`<p style="${WORDS}">See <a href="#x">the list</a>.</p>`))).toEqual([]);
		expect(smallTargets(show(`<div style="${WORDS}"><a href="#x">the list</a></div>`))).toHaveLength(1);
	});

	test('of a hidden input is its label', () => {
		const label = (
			px: number,
		) => `<label style="position: relative; display: block; width: 90px; height: ${px}px">
			${hiddenInput('radio')}<span style="font-size: 9px">One</span></label>`;
		expect(smallTargets(show(label(24)))).toEqual([]);
		expect(smallTargets(show(label(18)))).toEqual(['input “” is 90 × 18 px']);
	});

	test('of a select for assistive technology is nothing', () => {
		show('<div aria-hidden="true"><select style="width: 5px; height: 5px"></select></div>');
		expect(smallTargets(root)).toEqual([]);
	});
});

describe('a text made short', () => {
	const dots = 'overflow: hidden; text-overflow: ellipsis; white-space: nowrap; width: 60px';

	test('has a title, or the whole of it beside', () => {
		expect(textsCutWithoutTip(show(`<p style="${dots}">Longer than its place</p>`))).toEqual([
			'p “Longer than its place” is cut and has no tooltip',
		]);
		expect(textsCutWithoutTip(show(`<p data-tooltip="Longer than" style="${dots}">Longer than</p>`))).toEqual(
			[],
		);
		expect(textsCutWithoutTip(show(`<p style="${dots}">It</p>`))).toEqual([]);
	});

	test('is found in another element within the one that cuts it', () => {
		const heading = (title: string) =>
			`<h1 style="${dots}"><bdi ${title}>A name that is longer than its place</bdi></h1>`;
		expect(textsCutWithoutTip(show(heading('')))).toEqual([
			'h1 “A name that is longer than its place” is cut and has no tooltip',
		]);
		expect(textsCutWithoutTip(show(heading('data-tooltip="A name"')))).toEqual([]);
	});

	test('is found in the box of a list', () => {
		const box = (more = '') => `<input role="combobox" value="A language with a long name" style="${WORDS};
			width: 90px; text-overflow: ellipsis" ${more}>`;
		expect(textsCutWithoutTip(show(box()))).toHaveLength(1);
		expect(textsCutWithoutTip(show(box('data-tooltip="A language with a long name"')))).toEqual([]);
	});

	test('is found where whole lines are cut', () => {
		show(`<p style="${WORDS}; width: 90px; height: 20px; overflow: hidden">Two lines of it at least</p>`);
		expect(textsCutWithoutTip(root)).toHaveLength(1);
	});
});

describe('a word that is wider than its box', () => {
	const box = (px: number, more = '', inner = 'Donaudampfschiff') =>
		show(`<div style="${WORDS}; width: ${px}px; ${more}">${inner}</div>`);

	test('is seen where it runs out of it, to either side', () => {
		const width = box(400, '', '<span>Donaudampfschiff</span>').querySelector('span')?.offsetWidth ?? 0;
		expect(textsOutOfTheirBox(box(width))).toEqual([]);
		expect(textsOutOfTheirBox(box(width - 3))).toEqual(['div “Donaudampfschiff” is wider than its box']);
		expect(textsOutOfTheirBox(box(width - 3, 'direction: rtl'))).toHaveLength(1);
	});

	test('is seen in an element in the line', () => {
		expect(textsOutOfTheirBox(box(60, '', '<b>Donaudampfschiff</b>'))).toEqual([
			'b “Donaudampfschiff” is wider than its box',
		]);
	});

	test('not where it is cut or broken, and what scrolls is for its reader to scroll', () => {
		expect(textsOutOfTheirBox(box(60, 'overflow: hidden'))).toEqual([]);
		expect(textsOutOfTheirBox(box(60, 'overflow-wrap: anywhere'))).toEqual([]);
		expect(textsOutOfTheirBox(box(60, 'overflow-x: auto'))).toEqual([]);
	});

	test('ignores the space at the end of a line, which hangs out where spaces are kept', () => {
		const width = box(400, '', '<span>Donaudampfschiff</span>').querySelector('span')?.offsetWidth ?? 0;
		const kept = (px: number) => box(px, 'white-space: pre-wrap', 'Donaudampfschiff fahrt');
		expect(textsOutOfTheirBox(kept(width))).toEqual([]);
		expect(textsOutOfTheirBox(kept(width - 3))).toHaveLength(1);
	});

	test('not what is there for assistive technology alone', () => {
		expect(textsOutOfTheirBox(box(1, 'position: absolute; height: 1px'))).toEqual([]);
	});
});

test('a text is not squeezed into a narrow column', () => {
	const column = (px: number, words = 'The connection was closed before an answer came') =>
		show(`<p style="${WORDS}; width: ${px}px; overflow-wrap: anywhere">${words}</p>`);
	expect(squeezedTexts(column(60))).toHaveLength(1);
	expect(squeezedTexts(column(300))).toEqual([]);
	expect(squeezedTexts(column(60, 'Three words here'))).toEqual([]);
	// Each word is a box of its own there.
	column(150);
	root.querySelector('p')?.style.setProperty('white-space', 'pre-wrap');
	expect(squeezedTexts(root)).toEqual([]);
});

describe('captions', () => {
	const captions = (
		px: number,
	) => `<div id="captions"><section tabindex="0" style="height: ${px}px; overflow: auto">
		<p lang="es" style="margin: 0; ${WORDS}">Uno<br>dos<br>tres<br>cuatro</p></section></div>`;
	const dock = (px: number) => `<section style="position: fixed; inset: auto 0 0 0; height: ${px}px">
		<button aria-describedby="start-reason">Start</button></section>`;

	test('have room for three lines', () => {
		expect(captionsWithoutRoom(show(captions(60)))).toEqual([]);
		expect(captionsWithoutRoom(show(captions(40)))).toEqual(['the captions have 40 px, three lines are 60']);
		expect(captionsWithoutRoom(show('<p>No captions here</p>'))).toEqual([]);
	});

	test('have it above the controls', () => {
		expect(captionsWithoutRoom(show(captions(200) + dock(240)))).toEqual([]);
		expect(captionsWithoutRoom(show(captions(200) + dock(260)))).toHaveLength(1);
	});
});

describe('the captions of a conversation that runs', () => {
	const running = (high: number, more = '') =>
		`<div data-strip="running"></div><div id="captions"><section tabindex="0" style="height: ${high}px"></section></div>${more}`;

	test('have most of a window that is not small, less beside two directions or what was opened', async () => {
		await page.viewport(1000, 760);
		expect(framesTooHigh(show(running(520)))).toEqual([]);
		expect(framesTooHigh(show(running(519)))).toEqual([
			'the captions leave 241 px to what is around them, of 240',
		]);
		const legs = '<ul><li data-leg="outgoing"></li></ul>';
		expect(framesTooHigh(show(running(420, legs)))).toEqual([]);
		expect(framesTooHigh(show(running(419, legs)))).toHaveLength(1);
		expect(framesTooHigh(show(running(300, '<main><form></form></main>')))).toEqual([]);
		expect(framesTooHigh(show(running(300).replace('running', 'stopped')))).toEqual([]);
		await page.viewport(760, 760);
		expect(framesTooHigh(show(running(300)))).toEqual([]);
	});
});

describe('fields and buttons in a row', () => {
	const row = (button: number, more = '') => `
		<div style="display: flex; gap: 8px; align-items: center">
			<input aria-label="name" style="box-sizing: border-box; height: 40px; border: 1px solid" />
			<button style="box-sizing: border-box; height: ${button}px; border: 1px solid">Go</button>${more}
		</div>`;

	test('are of one height', () => {
		expect(unevenRows(show(row(36)))).toEqual(['input “name” is 40 px high, button “Go” beside it 36']);
		expect(unevenRows(show(row(40)))).toEqual([]);
		expect(unevenRows(show(row(39)))).toEqual([]);
	});

	test('need not be as high as a button without a frame, or one further away or below', () => {
		const plain = '<button style="border: 0; background: none; height: 20px">More</button>';
		expect(unevenRows(show(row(40, plain)))).toEqual([]);
		const far = '<button style="margin-left: 40px; border: 1px solid; height: 30px">Far</button>';
		expect(unevenRows(show(row(40, far)))).toEqual([]);
		expect(
			unevenRows(show(`${row(40)}<button style="border: 1px solid; height: 30px">Below</button>`)),
		).toEqual([]);
	});

	test('form no row with those of a panel beside them', () => {
		const panel = '<aside><button style="border: 1px solid; height: 30px">In the panel</button></aside>';
		expect(unevenRows(show(row(40, panel)))).toEqual([]);
		expect(unevenRows(show(`<aside>${row(36)}</aside>`))).toHaveLength(1);
	});

	test('are found by what holds a field and its button', () => {
		const combo = `<div style="border: 1px solid; height: 30px; box-sizing: border-box; display: flex">
			<input aria-label="language" style="border: 0" /></div>`;
		expect(unevenRows(show(row(40, combo)))).toHaveLength(1);
	});
});

test('a box does not scroll within a page that scrolls, but a text field may', () => {
	const inner = (tag: string) =>
		`<div style="height: 100px; overflow: auto"><${tag} style="display: block; height: 50px; overflow: auto">
			<p style="height: 90px">words</p></${tag}><p style="height: 200px"></p></div>`;
	expect(nestedScrolling(show(inner('blockquote')))).toHaveLength(1);
	expect(nestedScrolling(show(inner('textarea')))).toEqual([]);
	expect(
		nestedScrolling(show('<div style="height: 50px; overflow: auto"><p style="height: 90px">a</p></div>')),
	).toEqual([]);
});

test('the end of what scrolls does not stay under the buttons at its foot', () => {
	const list = (
		end: number,
	) => `<div style="position: relative; height: 100px"><div style="height: 100px; overflow: auto">
		<p style="margin: 0; height: 180px">First row</p><p style="margin: 0; padding-bottom: ${end}px">Last row</p></div>
		<div style="position: absolute; inset: auto 0 0 0; height: 40px; background: white">Buttons</div></div>`;
	expect(endsUnderButtons(show(list(0)))).toEqual(['p “Last row” stays under div “Buttons”']);
	expect(endsUnderButtons(show(list(60)))).toEqual([]);
});

test('Start is in view', () => {
	const button = (top: number) => `<button aria-describedby="start-reason" style="position: absolute;
		top: ${top}px; height: 40px">Start</button>`;
	expect(mainButtonOutOfView(show(button(260)))).toEqual([]);
	expect(mainButtonOutOfView(show(button(261)))).toEqual(['button “Start” is out of view at 261 to 301']);
	expect(mainButtonOutOfView(show('<button>Back</button>'))).toEqual([]);
});

describe('what has the keyboard', () => {
	const focus = (html: string) =>
		show(html).querySelector<HTMLElement>('button, input')?.focus({ preventScroll: true });

	test('is in view', () => {
		focus('<button>Here</button>');
		expect(focusOutOfView()).toEqual([]);
		focus('<button style="position: absolute; top: 320px">Below</button>');
		expect(focusOutOfView()).toEqual(['button “Below” has the keyboard and is out of view']);
	});

	test('is in view within what scrolls around it', () => {
		focus(
			'<div style="height: 40px; overflow: auto"><div style="height: 90px"></div><button>Far</button></div>',
		);
		expect(focusOutOfView()).toEqual(['button “Far” has the keyboard and is out of view']);
	});

	test('is not covered', () => {
		const panel = (top: number) => `<button style="display: block; height: 40px">Below</button>
			<aside style="position: absolute; inset: ${top}px 0 auto 0; height: 90px; background: white">Panel</aside>`;
		focus(panel(0));
		expect(focusOutOfView()).toEqual(['button “Below” has the keyboard and is covered by aside “Panel”']);
		focus(panel(40));
		expect(focusOutOfView()).toEqual([]);
	});

	test('is seen by its label where the input is hidden', () => {
		focus(`<label style="position: relative; display: block; width: 90px; height: 30px">
			${hiddenInput('checkbox')}Keep it</label>`);
		expect(focusOutOfView()).toEqual([]);
	});
});

test('the whole looks at the dialogs beside the window too', () => {
	show('<p style="margin: 0">A page</p>');
	expect(judge(root)).toEqual([]);
	const layer = document.createElement('div');
	layer.className = 'layer';
	layer.innerHTML = `<div role="dialog" style="position: fixed; inset: 0 auto auto 350px; width: 40px">
		<button style="width: 90px; height: 30px">Cancel</button></div>`;
	document.body.append(layer);
	expect(judge(root)).toEqual(['button “Cancel” is cut by the window']);
});

describe('a placeholder', () => {
	const field = (px: number, words = 'Search settings', more = '') =>
		show(`<input placeholder="${words}" style="${WORDS}; width: ${px}px; padding: 0; ${more}">`);

	test('has room in its box', () => {
		expect(unreadablePlaceholders(field(200))).toEqual([]);
		expect(unreadablePlaceholders(field(100))).toEqual(['the placeholder “Search settings” is cut']);
		const filled = field(100).querySelector('input');
		if (filled) filled.value = 'de';
		expect(unreadablePlaceholders(root)).toEqual([]);
	});

	test('reads in its own direction, also in a box for another language', () => {
		expect(unreadablePlaceholders(field(200, 'اكتب…', 'direction: rtl'))).toEqual([]);
		const turned = 'the placeholder “اكتب…” reads from the wrong side';
		expect(unreadablePlaceholders(field(200, 'اكتب…', 'direction: ltr'))).toEqual([turned]);
		show('<style>::placeholder { unicode-bidi: plaintext }</style><input dir="ltr" placeholder="اكتب…">');
		expect(unreadablePlaceholders(root)).toEqual([]);
	});
});

describe('the ring of the keyboard', () => {
	function focused(html: string): readonly string[] {
		show(`<style>:focus { outline: none } .ring { outline: 2px solid blue }</style>${html}`);
		root.querySelector<HTMLElement>('button, h1')?.focus();
		return wrongRings();
	}

	test('is one, around what has the keyboard or its box', () => {
		expect(focused('<button class="ring">Go</button>')).toEqual([]);
		expect(focused('<div class="ring"><button>Go</button></div>')).toEqual([]);
		expect(focused('<div class="ring"><button class="ring">Go</button></div>')).toEqual([
			'rings when button.ring “Go” has the keyboard: div.ring “Go”, button.ring “Go”',
		]);
		expect(focused('<button>Go</button>')).toEqual(['rings when button “Go” has the keyboard: none']);
		expect(focused('<label><button>Go</button><i class="ring">It</i></label>')).toEqual([]);
		expect(focused('<button>Go</button><p class="ring">Stop</p>')).toEqual(['button “Go” has no ring']);
	});

	test('is not around a heading', () => {
		expect(focused('<h1 tabindex="-1">Settings</h1>')).toEqual([]);
		expect(focused('<h1 class="ring" tabindex="-1">Settings</h1>')).toEqual([
			'rings when h1.ring “Settings” has the keyboard: h1.ring “Settings”',
		]);
	});
});

test('no element has a tooltip of the browser', () => {
	expect(nativeTips(show('<button data-tooltip="Close">×</button>'))).toEqual([]);
	expect(nativeTips(show('<button title="Close">×</button>'))).toEqual(['button “×” has a native tooltip']);
	expect(judge(root)).toContain('button “×” has a native tooltip');
});
