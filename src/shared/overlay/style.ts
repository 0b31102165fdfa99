import { z } from 'zod/mini';
import { matchLanguage } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import type { FramePiece } from './frames.ts';
import type { OverlayPlace } from './placement.ts';

const colour = z.string().check(z.regex(/^#[0-9a-f]{6}$/i));

export const captionLayouts = ['beside', 'under', 'target'] as const;
export type CaptionLayout = (typeof captionLayouts)[number];

/** Values of the field `language`: all languages, only the source, or otherwise a language code. */
export const EVERY_LANGUAGE = 'all';
export const ORIGINAL = 'original';

/** Smallest and largest size of captions over other windows, CSS px. */
export const OVERLAY_SIZE_PX = { smallest: 14, largest: 96 } as const;

const shape = {
	shown: z._default(z.boolean(), false),
	/** The box cannot be moved and never receives the focus. */
	locked: z._default(z.boolean(), false),
	/** Mouse events pass through to the windows below. */
	clickThrough: z._default(z.boolean(), false),
	/** `EVERY_LANGUAGE`, `ORIGINAL`, or a language code of the service. */
	language: z._default(z.string().check(z.maxLength(40)), EVERY_LANGUAGE),
	layout: z._default(z.enum(captionLayouts), 'under'),
	font: z._default(z.enum(['sans', 'serif', 'mono']), 'sans'),
	/** CSS px. */
	size: z._default(z.number().check(z.gte(OVERLAY_SIZE_PX.smallest), z.lte(OVERLAY_SIZE_PX.largest)), 28),
	color: z._default(colour, '#ffffff'),
	background: z._default(colour, '#000000'),
	/** Opacity of the background: 0 = transparent. */
	opacity: z._default(z.number().check(z.gte(0), z.lte(1)), 0.75),
	/** Number of visible lines: the height of the box is fixed. */
	lines: z._default(z.int().check(z.gte(1), z.lte(8)), 3),
	/** Width in percent of the display. */
	width: z._default(z.number().check(z.gte(20), z.lte(100)), 60),
} as const;

/** Appearance and behaviour of captions over other windows. */
export const OverlaySettings = z.lazy(() =>
	z.object({
		...shape,
		/** Asks the system to omit the captions from screen shares. */
		hidden: z.optional(z.boolean()),
	}),
);
export type OverlaySettings = z.infer<typeof OverlaySettings>;

/** The person's own captions; the setting `overlay`. */
export const MyOverlaySettings = z.object({ ...shape, hidden: z._default(z.boolean(), true) });

/** The captions for the audience (`audienceOverlay`): no setting hides them from screen shares. */
export const AudienceOverlaySettings = z.lazy(() =>
	z.object({
		...shape,
		layout: z._default(z.enum(captionLayouts), 'target'),
		size: z._default(shape.size, 40),
		lines: z._default(shape.lines, 2),
		width: z._default(shape.width, 80),
		opacity: z._default(shape.opacity, 1),
	}),
);

/** Minimum contrast: WCAG 2.2 1.4.3. */
export const ENOUGH_CONTRAST = 4.5;

const LINE_HEIGHT = 1.35;
/** Padding above and below the text together, and height of the button bar above the text, CSS px. */
const PADDING_PX = 16;
const BAR_PX = 44;

export interface Size {
	readonly width: number;
	readonly height: number;
}

/** Height of the text, CSS px. */
export function textHeight({ size, lines }: Pick<OverlaySettings, 'size' | 'lines'>): number {
	return Math.ceil(size * LINE_HEIGHT) * lines;
}

/** Height of one line, in whole CSS px, so that lines fill the box without a remainder. */
export function lineHeight({ size }: Pick<OverlaySettings, 'size'>): number {
	return Math.ceil(size * LINE_HEIGHT);
}

/** Size of the overlay's window on a display of this size, CSS px. */
export function windowSize(style: Pick<OverlaySettings, 'size' | 'lines' | 'width'>, display: Size): Size {
	return {
		width: Math.max(MIN_WIDTH_PX, Math.round((display.width * style.width) / 100)),
		height: Math.min(display.height, textHeight(style) + PADDING_PX + BAR_PX),
	};
}

/** A narrower window has no room for its buttons. */
const MIN_WIDTH_PX = 280;

/** Contrast of the text in the worst case, over a screen of any colour (WCAG 2.2). 1 to 21. */
export function worstContrast({
	color,
	background,
	opacity,
}: Pick<OverlaySettings, 'color' | 'background' | 'opacity'>): number {
	const text = luminance(parts(color));
	const [darkest, lightest] = [0, 255].map((screen) =>
		luminance(parts(background).map((part) => part * opacity + screen * (1 - opacity))),
	) as [number, number];
	// A colour between the two extremes may be as light as the text itself.
	if (text >= darkest && text <= lightest) return 1;
	return Math.min(ratio(text, darkest), ratio(text, lightest));
}

function parts(colour: string): readonly number[] {
	return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

function luminance(colour: readonly number[]): number {
	const [red = 0, green = 0, blue = 0] = colour.map((part) => {
		const share = part / 255;
		return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function ratio(one: number, other: number): number {
	return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** `#rrggbb` with an opacity, for CSS. */
export function withOpacity(colour: string, opacity: number): string {
	return `rgb(${parts(colour).join(' ')} / ${Math.round(opacity * 100)}%)`;
}

/** The captions over other windows: for the person here, and for an audience watching the screen. */
export const overlayNames = ['mine', 'audience'] as const;
export type OverlayName = (typeof overlayNames)[number];

/** The settings of each overlay. */
const facts = {
	mine: { style: 'overlay', places: 'overlayPlaces' },
	audience: { style: 'audienceOverlay', places: 'audienceOverlayPlaces' },
} as const satisfies {
	readonly [Name in OverlayName]: { style: keyof Settings; places: keyof Settings };
};

export function overlayStyle(settings: Settings, name: OverlayName): OverlaySettings {
	return settings[facts[name].style];
}

export function overlayPlaces(settings: Settings, name: OverlayName): readonly OverlayPlace[] {
	return settings[facts[name].places];
}

/** The settings patch that changes the appearance or behaviour of one overlay. */
export function overlayPatch(
	settings: Settings,
	name: OverlayName,
	change: Partial<OverlaySettings>,
): Partial<Settings> {
	return { [facts[name].style]: { ...settings[facts[name].style], ...change } };
}

export function placesPatch(name: OverlayName, places: readonly OverlayPlace[]): Partial<Settings> {
	return { [facts[name].places]: [...places] };
}

export function isAnyShown(settings: Settings): boolean {
	return overlayNames.some((name) => overlayStyle(settings, name).shown);
}

export interface ShownTexts {
	readonly said: readonly FramePiece[];
	readonly translated: readonly FramePiece[];
}

/** The texts of a row for a caption window. For one language its translation, else the source. */
export function shownTexts(
	pieces: readonly FramePiece[],
	{ language, layout }: Pick<OverlaySettings, 'language' | 'layout'>,
): ShownTexts {
	const said = pieces.filter(({ kind }) => kind === 'source');
	const all = pieces.filter(({ kind }) => kind === 'translation');
	// `ORIGINAL` is not a language: no translation matches it.
	const code = matchLanguage(
		language,
		all.map((piece) => piece.language),
	);
	const translated = language === EVERY_LANGUAGE ? all : all.filter((piece) => piece.language === code);
	return { said: layout === 'target' && translated.length > 0 ? [] : said, translated };
}
