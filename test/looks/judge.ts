/**
 * What is wrong with a page as it is, in words. Runs in the page. Each function checks one thing, takes the
 * root to search below, and has a page with the defect and one without it in `judge.browser.test.ts`.
 */

/** Smallest side of what can be pressed, CSS px (WCAG 2.2, 2.5.8). */
const TARGET_PX = 24;
/** Fractions of a pixel are not a defect. */
const SLACK_PX = 1.5;
const LEAST_LINES = 3;

const PRESSABLE = [
	'button',
	'a[href]',
	'input:not([type="hidden"])',
	'select',
	'textarea',
	'summary',
	'[role="button"]',
	'[role="slider"]',
	'[role="switch"]',
	'[role="tab"]',
	'[role="option"]',
	'[role="menuitem"]',
].join(',');

/** Its newest lines are at the bottom, and older ones leave at the top. */
const CUT_ON_PURPOSE = '[data-testid="caption-box"]';

interface Box {
	readonly left: number;
	readonly top: number;
	readonly right: number;
	readonly bottom: number;
}

/** Checks everything: the window's root, and the dialogs and lists beside it in the body. */
export function judge(root: HTMLElement): readonly string[] {
	const all = document.body;
	memory = newMemory();
	try {
		return [
			...windowThatScrolls(root),
			...cutElements(all),
			...coveredElements(all),
			...overlappingTexts(all),
			...iconsOnTexts(all),
			...smallTargets(all),
			...textsCutWithoutTip(all),
			...nativeTips(all),
			...textsOutOfTheirBox(all),
			...unreadablePlaceholders(all),
			...captionsWithoutRoom(root),
			...framesTooHigh(root),
			...mainButtonOutOfView(root),
			...squeezedTexts(all),
			...unevenRows(all),
			...nestedScrolling(all),
			...endsUnderButtons(all),
		];
	} finally {
		memory = null;
	}
}

/** Cache of what was read of each element while one page is judged: the texts of an element all ask for it. */
interface Memory {
	readonly styles: WeakMap<Element, Style>;
	readonly hidden: WeakMap<Element, boolean>;
	readonly shown: WeakMap<Element, boolean>;
	readonly boxes: WeakMap<Element, Box>;
}

let memory: Memory | null = null;
const newMemory = (): Memory => ({
	styles: new WeakMap(),
	hidden: new WeakMap(),
	shown: new WeakMap(),
	boxes: new WeakMap(),
});

function remembered<Value>(
	kind: (of: Memory) => WeakMap<Element, Value>,
	one: Element,
	read: () => Value,
): Value {
	if (memory === null) return read();
	const known = kind(memory).get(one);
	if (known !== undefined) return known;
	const value = read();
	kind(memory).set(one, value);
	return value;
}

type Style = Pick<CSSStyleDeclaration, (typeof READ)[number]>;
const READ = [
	'backgroundColor',
	'clipPath',
	'display',
	'font',
	'height',
	'opacity',
	'overflowX',
	'overflowY',
	'paddingLeft',
	'paddingRight',
	'position',
	'textOverflow',
	'webkitLineClamp',
	'whiteSpaceCollapse',
	'width',
] as const;

function styleOf(one: Element): Style {
	return remembered(
		({ styles }) => styles,
		one,
		() => {
			const style = getComputedStyle(one);
			return Object.fromEntries(READ.map((name) => [name, style[name]])) as Style;
		},
	);
}

function boxOf(one: Element): Box {
	return remembered(
		({ boxes }) => boxes,
		one,
		() => one.getBoundingClientRect(),
	);
}

/** The document, the body and the root must not scroll, nor be able to. */
export function windowThatScrolls(root: HTMLElement): readonly string[] {
	return [document.documentElement, document.body, root].flatMap((one) => {
		const name = one === root ? 'root' : one.tagName.toLowerCase();
		if (one.scrollTop !== 0 || one.scrollLeft !== 0) return [`${name} is scrolled`];
		const right = one.scrollWidth - one.clientWidth;
		const down = one.scrollHeight - one.clientHeight;
		return right > 0 || down > 0 ? [`${name} could be scrolled by ${right} × ${down}`] : [];
	});
}

/** What can be pressed or read and does not fit where it is, with nothing to scroll. */
export function cutElements(root: HTMLElement): readonly string[] {
	const all = new Set([...root.querySelectorAll<HTMLElement>(PRESSABLE), ...textElements(root)]);
	return [...all].flatMap((one) => {
		if (!isShown(one) || isHiddenOnPurpose(one) || one.closest(CUT_ON_PURPOSE)) return [];
		const box = targetOf(one).getBoundingClientRect();
		const cutter = cutterOf(targetOf(one), box);
		return cutter ? [`${nameOf(one)} is cut by ${cutter}`] : [];
	});
}

/** A press in the middle of a control would hit something else. */
export function coveredElements(root: HTMLElement): readonly string[] {
	return [...root.querySelectorAll<HTMLElement>(PRESSABLE)].flatMap((one) => {
		if (!isShown(one) || (one === targetOf(one) && isHiddenOnPurpose(one))) return [];
		const target = targetOf(one);
		const box = target.getBoundingClientRect();
		const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
		if (!isInSight(target, x, y)) return [];
		const hit = document.elementFromPoint(x, y);
		if (!hit || target.contains(hit) || hit.contains(target) || hit.closest('label')?.contains(one))
			return [];
		if (one.closest('label')?.contains(hit) || isModal(hit, one)) return [];
		// A row may take the press for what is in it, and controls that stay at the bottom of a page cover what scrolls below.
		if (isSticky(hit) || one.closest('[inert], [aria-hidden="true"]')) return [];
		return [`${nameOf(one)} is covered by ${nameOf(hit)}`];
	});
}

/** Two texts overlap. */
export function overlappingTexts(root: HTMLElement): readonly string[] {
	const texts = textElements(root)
		.filter((one) => isShown(one) && !isHiddenOnPurpose(one) && !one.closest('[inert]'))
		.flatMap((one) => textBoxes(one).map((box) => ({ one, box: ownCut(one, box) })))
		.filter(({ one, box }) => isInSight(one, (box.left + box.right) / 2, (box.top + box.bottom) / 2))
		.map(({ one, box }) => ({ one, box: inSight(one, box) }));
	const found = new Set<string>();
	for (const [index, { one, box }] of texts.entries()) {
		for (let next = index + 1; next < texts.length; next++) {
			const { one: other, box: second } = texts[next] as (typeof texts)[number];
			const wide = Math.min(box.right, second.right) - Math.max(box.left, second.left);
			const high = Math.min(box.bottom, second.bottom) - Math.max(box.top, second.top);
			if (wide <= 3 || high <= 0.3 * Math.min(box.bottom - box.top, second.bottom - second.top)) continue;
			if (one === other || one.contains(other) || other.contains(one)) continue;
			if (isModal(one, other) || isModal(other, one) || isSticky(one) !== isSticky(other)) continue;
			if (!isCovered(one, other) && !isCovered(other, one))
				found.add(`${nameOf(one)} and ${nameOf(other)} overlap`);
		}
	}
	return [...found];
}

/** The icon of a button, even one shown only on hover or focus, covers a text that is not the button's own. */
export function iconsOnTexts(root: HTMLElement): readonly string[] {
	const signs = [...root.querySelectorAll<HTMLElement>('button')].flatMap((one) =>
		canBeShown(one) ? [...one.querySelectorAll('svg')].flatMap((sign) => sighted(one, boxOf(sign))) : [],
	);
	if (signs.length === 0) return [];
	const texts = textElements(root)
		.filter((one) => isShown(one) && !isHiddenOnPurpose(one))
		.flatMap((one) => textBoxes(one).flatMap((box) => sighted(one, ownCut(one, box))));
	const found = signs.flatMap(({ one: button, box }) =>
		texts
			.filter(({ one, box: text }) => isOn(box, text) && !button.contains(one) && !one.contains(button))
			.filter(
				({ one }) => !isModal(button, one) && !isModal(one, button) && isSticky(one) === isSticky(button),
			)
			.filter(({ one }) => !isCovered(one, button) && !isCovered(button, one))
			.map(({ one }) => `${nameOf(button)} lies on ${nameOf(one)}`),
	);
	return [...new Set(found)];
}

/** The element and its box, if it is visible and not inert. */
function sighted(one: HTMLElement, box: Box): readonly { readonly one: HTMLElement; readonly box: Box }[] {
	const isSeen = isInSight(one, (box.left + box.right) / 2, (box.top + box.bottom) / 2);
	return isSeen && !one.closest('[inert]') ? [{ one, box: inSight(one, box) }] : [];
}

/** Whether they overlap by more than a few pixels. */
function isOn(box: Box, other: Box): boolean {
	const wide = Math.min(box.right, other.right) - Math.max(box.left, other.left);
	const high = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
	return wide > 3 && high > 5;
}

/** What can be pressed is at least 24 px wide and high; a link in a sentence need not be. */
export function smallTargets(root: HTMLElement): readonly string[] {
	return [...root.querySelectorAll<HTMLElement>(PRESSABLE)].flatMap((one) => {
		if (!isShown(one) || isInline(one) || isHiddenOnPurpose(targetOf(one))) return [];
		const { width, height } = targetOf(one).getBoundingClientRect();
		if (Math.min(width, height) >= TARGET_PX - 0.5) return [];
		return [`${nameOf(one)} is ${Math.round(width)} × ${Math.round(height)} px`];
	});
}

/** Text that ends in … must be readable in full somewhere. */
export function textsCutWithoutTip(root: HTMLElement): readonly string[] {
	// The ellipsis may belong to an element whose text is in a descendant.
	const cutters = [...root.querySelectorAll<HTMLElement>('*')].filter(
		(one) => one.textContent?.trim() && endsInDots(styleOf(one)),
	);
	// What was chosen in a list; a text being typed scrolls.
	const chosen = root.querySelectorAll<HTMLElement>('input[role="combobox"]');
	return [...new Set([...textElements(root), ...cutters, ...chosen])].flatMap((one) => {
		if (!isShown(one) || isHiddenOnPurpose(one) || one.closest(CUT_ON_PURPOSE)) return [];
		const { overflowX, overflowY } = styleOf(one);
		const isWide = /hidden|clip/.test(overflowX) && one.scrollWidth - one.clientWidth > SLACK_PX;
		const isHigh = /hidden|clip/.test(overflowY) && one.scrollHeight - one.clientHeight > 4;
		if (!isWide && !isHigh) return [];
		if (one.closest('[data-tooltip]') || one.querySelector('[data-tooltip]')) return [];
		return [`${nameOf(one)} is cut and has no tooltip`];
	});
}

/** The browser's own tooltips come late, look foreign, and are not for the keyboard. React Aria empties those of its fields. */
export function nativeTips(root: HTMLElement): readonly string[] {
	return [...root.querySelectorAll<HTMLElement>('[title]:not([title=""])')].map(
		(one) => `${nameOf(one)} has a native tooltip`,
	);
}

/** A word is wider than its box and runs out over what is beside it. */
export function textsOutOfTheirBox(root: HTMLElement): readonly string[] {
	return textElements(root).flatMap((one) => {
		if (!isShown(one) || isHiddenOnPurpose(one)) return [];
		const around = boxAround(one);
		// What is cut or scrolls is looked at elsewhere.
		if (styleOf(around).overflowX !== 'visible') return [];
		const its = boxOf(around);
		return textBoxes(one).some((box) => sticksOut(box, its)[0])
			? [`${nameOf(one)} is wider than its box`]
			: [];
	});
}

/** Lines that are shorter than this make a column, not a text, px. */
const COLUMN_PX = 120;

/** A text of many lines has room for more than a word or two in each. */
export function squeezedTexts(root: HTMLElement): readonly string[] {
	return textElements(root).flatMap((one) => {
		if (!isShown(one) || isHiddenOnPurpose(one) || one.closest(CUT_ON_PURPOSE)) return [];
		const boxes = textBoxes(one);
		const lines = new Set(boxes.map(({ top }) => Math.round(top))).size;
		const wide = Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left));
		if (lines <= LEAST_LINES || wide >= COLUMN_PX) return [];
		return [`${nameOf(one)} has ${lines} lines of ${Math.round(wide)} px`];
	});
}

/** Fields and buttons that stand side by side, each in a frame of its own. */
const FRAMED =
	'button, select, input:not([type="checkbox"], [type="radio"], [type="range"]), [role="combobox"]';
/** Further apart they belong to no row, px. */
const BESIDE_PX = 24;
/** What is higher is no control but a card or a dialog with controls in it, px. */
const CONTROL_PX = 64;

/** What stands on or beside the rest of the window: its controls form no row with those of the rest. */
const LAYER = '[role="dialog"], [role="alertdialog"], aside';

/** Fields and buttons in a row are of one height. */
export function unevenRows(root: HTMLElement): readonly string[] {
	const frames = new Map<HTMLElement, Box>();
	for (const one of root.querySelectorAll<HTMLElement>(FRAMED)) {
		if (!isShown(one) || isHiddenOnPurpose(one)) continue;
		const frame = frameOf(one);
		if (frame) frames.set(frame, boxOf(frame));
	}
	return [...frames].flatMap(([one, box]) =>
		[...frames].flatMap(([other, its]) => {
			const gap = its.left - box.right;
			const together = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
			const [high, low] = [box.bottom - box.top, its.bottom - its.top];
			if (gap < 0 || gap > BESIDE_PX || together < Math.min(high, low) / 2) return [];
			if (Math.abs(high - low) <= SLACK_PX || one.closest(LAYER) !== other.closest(LAYER)) return [];
			return [`${nameOf(one)} is ${Math.round(high)} px high, ${nameOf(other)} beside it ${Math.round(low)}`];
		}),
	);
}

/** The control, or what holds it, that has a border; null: it has none. */
function frameOf(one: HTMLElement): HTMLElement | null {
	for (let at: HTMLElement | null = one, level = 0; at && level < 3; at = at.parentElement, level += 1) {
		const { borderTopWidth, borderTopStyle, borderTopColor, borderLeftWidth } = getComputedStyle(at);
		if (boxOf(at).bottom - boxOf(at).top > CONTROL_PX) return null;
		const isDrawn = borderTopStyle !== 'none' && !/^rgba\(.*, 0\)$/.test(borderTopColor);
		if (isDrawn && Number.parseFloat(borderTopWidth) > 0 && Number.parseFloat(borderLeftWidth) > 0) return at;
	}
	return null;
}

/**
 * A box that scrolls within a page that scrolls, too, takes the wheel from it. A text field may, and the captions, which keep
 * some lines in the smallest windows.
 */
export function nestedScrolling(root: HTMLElement): readonly string[] {
	const scrolls = (one: Element) =>
		/auto|scroll/.test(styleOf(one).overflowY) && one.scrollHeight - one.clientHeight > SLACK_PX;
	return [...root.querySelectorAll<HTMLElement>('*')].flatMap((one) => {
		if (one.matches('textarea, section') || !scrolls(one) || !isShown(one)) return [];
		for (let at = one.parentElement; at; at = at.parentElement)
			if (scrolls(at)) return [`${nameOf(one)} scrolls within ${nameOf(at)}`];
		return [];
	});
}

/** At its end nothing of what scrolls stays below the buttons at its foot. */
export function endsUnderButtons(root: HTMLElement): readonly string[] {
	const known = memory;
	// Boxes move with the scrolling.
	memory = null;
	try {
		return [...root.querySelectorAll<HTMLElement>('*')].flatMap((one) => {
			if (!/auto|scroll/.test(styleOf(one).overflowY) || one.scrollHeight - one.clientHeight <= SLACK_PX)
				return [];
			if (one.matches('textarea') || !isShown(one) || one.closest('[inert], [aria-hidden="true"]')) return [];
			const scrollers = [one, ...ancestorsOf(one)].map((at) => ({ at, before: at.scrollTop }));
			for (const { at } of scrollers) at.scrollTop = at.scrollHeight;
			try {
				return lastTexts(one).flatMap((text) => {
					const { left = 0, right = 0, top = 0, bottom = 0 } = textBoxes(text).at(-1) ?? {};
					const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
					if (!hit || text.contains(hit) || hit.contains(text) || isModal(hit, text)) return [];
					if (!isInSight(text, (left + right) / 2, (top + bottom) / 2)) return [];
					return [`${nameOf(text)} stays under ${nameOf(hit)}`];
				});
			} finally {
				for (const { at, before } of scrollers) at.scrollTop = before;
			}
		});
	} finally {
		memory = known;
	}
}

function ancestorsOf(one: Element): readonly Element[] {
	return one.parentElement ? [one.parentElement, ...ancestorsOf(one.parentElement)] : [];
}

/** Those that end lowest of what scrolls in it, without what stays in its place. */
function lastTexts(scroller: HTMLElement): readonly HTMLElement[] {
	const texts = textElements(scroller)
		.filter((one) => isShown(one) && !isHiddenOnPurpose(one) && !isSticky(one, scroller))
		.map((one) => ({ one, bottom: textBoxes(one).at(-1)?.bottom ?? 0 }));
	const lowest = Math.max(...texts.map(({ bottom }) => bottom));
	return texts.filter(({ bottom }) => bottom > lowest - SLACK_PX).map(({ one }) => one);
}

/** A placeholder has room in its box, and reads in its own direction: else an ellipsis stands at its beginning. */
export function unreadablePlaceholders(root: HTMLElement): readonly string[] {
	return [...root.querySelectorAll<HTMLInputElement>(':placeholder-shown')].flatMap((one) => {
		if (!isShown(one) || isHiddenOnPurpose(one)) return [];
		const { font, paddingLeft, paddingRight } = styleOf(one);
		pen.font = font;
		const taken = Number.parseFloat(paddingLeft) + Number.parseFloat(paddingRight);
		const room = one.clientWidth - taken - (one.type === 'search' ? CROSS_PX : 0);
		const isCut = one.matches('input') && pen.measureText(one.placeholder).width > room + SLACK_PX;
		const { direction, unicodeBidi } = getComputedStyle(one, '::placeholder');
		const own = /^\P{L}*[\u0590-\u08ff]/u.test(one.placeholder) ? 'rtl' : 'ltr';
		const isTurned = direction !== own && unicodeBidi !== 'plaintext';
		const name = `the placeholder “${one.placeholder}”`;
		return [...(isCut ? [`${name} is cut`] : []), ...(isTurned ? [`${name} reads from the wrong side`] : [])];
	});
}

/** The cross that clears a search has its place before it is shown, CSS px. */
const CROSS_PX = 16;
const pen = new OffscreenCanvas(1, 1).getContext('2d') as OffscreenCanvasRenderingContext2D;

/** The block whose lines its text belongs to. */
function boxAround(one: HTMLElement): HTMLElement {
	let at = one;
	while (/^(inline|contents)$/.test(styleOf(at).display) && at.parentElement) at = at.parentElement;
	return at;
}

/** If there are captions, they have room for three lines. */
export function captionsWithoutRoom(root: HTMLElement): readonly string[] {
	const list = root.querySelector<HTMLElement>('#captions section[tabindex]');
	const text = list?.querySelector<HTMLElement>('[lang]');
	if (!list || !text || !isShown(list)) return [];
	const line = Number.parseFloat(getComputedStyle(text).lineHeight);
	const box = list.getBoundingClientRect();
	const foot = mainButton(root)?.closest('section')?.getBoundingClientRect().top ?? innerHeight;
	const room = Math.min(box.bottom, foot, innerHeight) - Math.max(box.top, 0);
	return room >= LEAST_LINES * line - SLACK_PX
		? []
		: [`the captions have ${Math.round(room)} px, three lines are ${Math.round(LEAST_LINES * line)}`];
}

/** What may stand above and below the captions while a conversation runs: of 760 px they have 520, with two directions 420. */
const FRAME_PX = 240;
const FRAME_OF_TWO_PX = 340;

/** While a conversation runs in a window that is not small, the captions have most of it. */
export function framesTooHigh(root: HTMLElement): readonly string[] {
	const list = root.querySelector<HTMLElement>('#captions section[tabindex]');
	const isLive = root.querySelector('[data-strip="running"]') !== null;
	// A talk bar, the box for typing and a panel are opened on purpose, and a failed direction has a line of its own.
	const isMore =
		root.querySelector('main aside, main form, [data-testid="talk"], [data-leg][data-failed="true"]') !==
		null;
	if (!list || !isLive || isMore || innerWidth < 1000 || innerHeight < 700) return [];
	const { top, bottom } = list.getBoundingClientRect();
	const frame = Math.round(innerHeight - (bottom - top));
	const most = root.querySelector('[data-leg]') ? FRAME_OF_TWO_PX : FRAME_PX;
	return frame <= most ? [] : [`the captions leave ${frame} px to what is around them, of ${most}`];
}

/** Start, or Stop, is in sight. */
export function mainButtonOutOfView(root: HTMLElement): readonly string[] {
	const button = mainButton(root);
	if (!button || !isShown(button)) return [];
	const box = button.getBoundingClientRect();
	const fits = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
	return fits
		? []
		: [`${nameOf(button)} is out of view at ${Math.round(box.top)} to ${Math.round(box.bottom)}`];
}

function mainButton(root: HTMLElement): HTMLElement | null {
	return root.querySelector<HTMLElement>('button[aria-describedby="start-reason"]');
}

/** The focused element, when it cannot be seen, or something lies on its middle (WCAG 2.2, 2.4.11). */
export function focusOutOfView(): readonly string[] {
	const one = document.activeElement;
	if (!(one instanceof HTMLElement) || one === document.body) return [];
	const target = targetOf(one);
	const box = target.getBoundingClientRect();
	const [x, y] = [clampTo(box.left, box.right, innerWidth), clampTo(box.top, box.bottom, innerHeight)];
	const seen =
		box.bottom > 0 &&
		box.right > 0 &&
		box.top < innerHeight &&
		box.left < innerWidth &&
		isInSight(target, x, y);
	if (!seen) return [`${nameOf(one)} has the keyboard and is out of view`];
	const hit = document.elementFromPoint(x, y);
	// A field may let presses pass to its row.
	if (!hit || target.contains(hit) || hit.contains(target) || one.closest('label')?.contains(hit)) return [];
	return [`${nameOf(one)} has the keyboard and is covered by ${nameOf(hit)}`];
}

/** What has the keyboard has one ring, its own or that of its box or label; where a page lands there is nothing to press, and none. */
export function wrongRings(): readonly string[] {
	const one = document.activeElement;
	if (!(one instanceof HTMLElement) || one === document.body) return [];
	const rings = [...document.body.querySelectorAll<HTMLElement>('*')].filter(
		(at) => hasRing(at) && isShown(at) && !isHiddenOnPurpose(at),
	);
	const [ring] = rings;
	const isHeading = one.matches('h1, h2, h3');
	if (rings.length !== (isHeading ? 0 : 1))
		return [`rings when ${nameOf(one)} has the keyboard: ${rings.map(nameOf).join(', ') || 'none'}`];
	const around = one.closest('label') ?? one;
	return !ring || ring.contains(one) || around.contains(ring) ? [] : [`${nameOf(one)} has no ring`];
}

function hasRing(one: Element): boolean {
	return [null, '::after'].some((part) => {
		const { outlineStyle, outlineWidth, content } = getComputedStyle(one, part);
		return outlineStyle !== 'none' && outlineWidth !== '0px' && (part === null || content !== 'none');
	});
}

function clampTo(from: number, to: number, limit: number): number {
	return (Math.max(from, 0) + Math.min(to, limit)) / 2;
}

/** Elements with a text of their own. */
function textElements(root: HTMLElement): HTMLElement[] {
	return [...root.querySelectorAll<HTMLElement>('*')].filter((one) =>
		[...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()),
	);
}

function textBoxes(one: HTMLElement): Box[] {
	const range = document.createRange();
	// Where spaces are kept, one at the end of a line hangs out of its box, and nobody sees it.
	const parts = styleOf(one).whiteSpaceCollapse === 'collapse' ? /.+/gs : /\S+/g;
	return [...one.childNodes]
		.filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
		.flatMap((node) =>
			[...(node.textContent ?? '').matchAll(parts)].flatMap(({ 0: part, index }) => {
				range.setStart(node, index);
				range.setEnd(node, index + part.length);
				return [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
			}),
		);
}

/** The part of its own text that an element shows; an ellipsis replaces the rest. */
function ownCut(one: HTMLElement, box: Box): Box {
	const { overflowX, overflowY } = styleOf(one);
	if (!/hidden|clip/.test(`${overflowX}${overflowY}`)) return box;
	return within(box, boxOf(one));
}

/** What is left of it within whatever scrolls or cuts it. */
function inSight(one: Element, box: Box): Box {
	return cuttersOf(one).reduce(within, box);
}

/** Where each ancestor is that scrolls or cuts it. */
function cuttersOf(one: Element): readonly Box[] {
	const boxes: Box[] = [];
	for (let at = one.parentElement; at; at = at.parentElement) {
		const { overflowX, overflowY, position } = styleOf(at);
		if (/auto|scroll|hidden|clip/.test(`${overflowX}${overflowY}`)) boxes.push(boxOf(at));
		if (position === 'fixed') break;
	}
	return boxes;
}

function within(box: Box, other: Box): Box {
	return {
		left: Math.max(box.left, other.left),
		top: Math.max(box.top, other.top),
		right: Math.min(box.right, other.right),
		bottom: Math.min(box.bottom, other.bottom),
	};
}

/** A hidden input is pressed by its label, the thumb of a slider by its track. */
function targetOf(one: HTMLElement): HTMLElement {
	if (one instanceof HTMLInputElement && (isHiddenOnPurpose(one) || one.type === 'range'))
		return one.closest<HTMLElement>('label, [role="group"]') ?? one;
	return one;
}

function isShown(one: HTMLElement): boolean {
	return remembered(
		({ shown }) => shown,
		one,
		() =>
			one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
			one.closest('[hidden]') === null &&
			targetOf(one).getClientRects().length > 0,
	);
}

/** It becomes visible on hover, though it may be transparent until then. */
function canBeShown(one: HTMLElement): boolean {
	return one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
}

/** For assistive technology alone. */
function isHiddenOnPurpose(one: Element): boolean {
	return remembered(
		({ hidden }) => hidden,
		one,
		() => {
			if (one.getAttribute('aria-hidden') === 'true') return true;
			const { position, clipPath, width, height, opacity } = styleOf(one);
			const isTiny = Number.parseFloat(width) <= 1 && Number.parseFloat(height) <= 1;
			if (position === 'absolute' && (isTiny || clipPath !== 'none' || opacity === '0')) return true;
			return one.parentElement !== null && isHiddenOnPurpose(one.parentElement);
		},
	);
}

/** What cuts it off: the window, or an ancestor that hides overflow before any that scrolls. */
function cutterOf(one: HTMLElement, whole: Box): string | null {
	let box = whole;
	let [x, y] = [true, true];
	for (let at = one.parentElement; at; at = at.parentElement) {
		const style = styleOf(at);
		const { overflowX, overflowY, position } = style;
		const its = boxOf(at);
		if (endsInDots(style) && /hidden|clip/.test(overflowX)) box = withinDots(box, its);
		if (/auto|scroll/.test(overflowX)) x = false;
		if (/auto|scroll/.test(overflowY)) y = false;
		const [isWide, isHigh] = sticksOut(box, its);
		if (x && /hidden|clip/.test(overflowX) && isWide) return nameOf(at);
		if (y && /hidden|clip/.test(overflowY) && isHigh) return nameOf(at);
		if (position === 'fixed' || (!x && !y)) break;
	}
	const [isWide, isHigh] = sticksOut(box, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
	return (x && isWide) || (y && isHigh) ? 'the window' : null;
}

/** Whether it sticks out at a side, and whether at the top or bottom. */
function sticksOut(box: Box, of: Box): readonly [isWide: boolean, isHigh: boolean] {
	return [
		box.left < of.left - SLACK_PX || box.right > of.right + SLACK_PX,
		box.top < of.top - SLACK_PX || box.bottom > of.bottom + SLACK_PX,
	];
}

/** In one line, or after several lines. */
function endsInDots({ textOverflow, webkitLineClamp }: Style): boolean {
	return textOverflow === 'ellipsis' || webkitLineClamp !== 'none';
}

/** Text shortened on purpose ends in an ellipsis, which is checked elsewhere; nothing beyond it counts. */
function withinDots(box: Box, dots: Box): Box {
	return {
		left: Math.max(box.left, dots.left),
		top: Math.max(box.top, dots.top),
		right: Math.min(box.right, dots.right),
		bottom: Math.min(box.bottom, dots.bottom),
	};
}

/** Whether this point of it is within the window and within every scrolling ancestor. */
function isInSight(one: Element, x: number, y: number): boolean {
	if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
	return cuttersOf(one).every(
		({ left, top, right, bottom }) => x >= left && x <= right && y >= top && y <= bottom,
	);
}

/** Whether `over` is in a dialog, a list or a menu above the page that `under` is part of. */
function isModal(over: Element, under: Element): boolean {
	const layer = over.closest(
		'[role="dialog"], [role="alertdialog"], [role="listbox"], [role="menu"], [data-layer]',
	);
	const outside = layer?.closest('body > *');
	return outside !== null && outside !== undefined && !outside.contains(under);
}

/** Stays at the bottom, or over the rest, on purpose. */
function isSticky(one: Element, below: Element | null = null): boolean {
	for (let at: Element | null = one; at && at !== below; at = at.parentElement) {
		if (/sticky|fixed/.test(styleOf(at).position) || at.hasAttribute('data-layer')) return true;
	}
	return false;
}

/** A link or a button within a sentence is as high as its line. */
function isInline(one: HTMLElement): boolean {
	return styleOf(one).display === 'inline' && one.closest('p, li, dd') !== null;
}

/** Whether `over` is in something opaque that covers `under`, such as a panel, so that only one of the two can be read. */
function isCovered(under: Element, over: Element): boolean {
	for (let at: Element | null = over; at && !at.contains(under); at = at.parentElement) {
		const { position, backgroundColor } = styleOf(at);
		const isOpaque = !/transparent|rgba\(.*, 0(\.\d+)?\)/.test(backgroundColor);
		if (position !== 'static' && isOpaque) return true;
	}
	return false;
}

/** Short, for people, and the same at each start: what it is, and its first words. */
function nameOf(one: Element): string {
	const label = one.getAttribute('aria-label') ?? one.textContent ?? '';
	const role = one.getAttribute('role');
	const hint = one.id !== '' && !GENERATED_ID.test(one.id) ? `#${one.id}` : classOf(one);
	return `${one.tagName.toLowerCase()}${role ? `[${role}]` : ''}${hint} “${label.trim().slice(0, 40)}”`;
}

/** Ids of React and React Aria, numbered anew at each start. */
const GENERATED_ID = /react-aria|_r_|:r|«r/;

/** Its name in the style sheet, of which the build makes `_name_hash_line`. */
function classOf(one: Element): string {
	const [first = ''] = (one.getAttribute('class') ?? '').split(' ');
	return first === '' ? '' : `.${/^_(.+)_[^_]+_\d+$/.exec(first)?.[1] ?? first}`;
}
