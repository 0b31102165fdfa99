import { field, isObject } from '#shared/protocol/json.ts';

/** One thing that is wrong with a request for a voice: where, and a sentence. */
export interface Complaint {
	readonly at: string;
	readonly says: string;
}

/** What a valid request asks for. */
export interface CloneOrder {
	readonly name: string;
	readonly description: string | null;
	readonly labels: Readonly<Record<string, unknown>> | null;
	readonly attributes: readonly string[] | null;
	readonly skipExternal: boolean;
	readonly sample: { readonly itemId: string | null; readonly mimeType: string; readonly language: string };
}

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Copied from spec 4.6 a second time, so that client and sandbox cannot share a mistake. */
const MIME_TYPES = list(
	'audio/x-wav audio/wav audio/mp3 audio/x-m4a audio/mpeg audio/flac video/webm video/mp4 video/mpeg image/png image/jpeg image/webp',
);
const LANGUAGES = list(
	'ar ar-ae ar-sa az hy be bg bs ca cs cy da de el en en-au en-ca en-gb en-us es es-mx es-co es-ar es-ch es-la et fi fil fr fr-ca gl he hi hr hu id is it ja kk ko lt lv mk ms nl no pl pt pt-br ro ru sk sl sr sv sw ta th tr uk ur vi zh zh-hans zh-hant auto bn eu fa ga mn mr mt ug yue',
);
const NAME = { unicode: /^[\p{L}\p{M}\p{N}_\-. ()]+$/u, ascii: /^[\w\-. ()]+$/ };
const FILENAME = { unicode: /^[\p{L}\p{M}\p{N}_\-. '"()]+$/u, ascii: /^[\w\-. '"()]+$/ };

/** Everything spec 4.6 demands of `{data: {…}}`. `asciiOnly`: a word character is an ASCII one. */
export function checkClone(
	body: unknown,
	asciiOnly: boolean,
): { readonly order: CloneOrder } | { readonly complaints: readonly Complaint[] } {
	const complaints: Complaint[] = [];
	const complain = (at: string, says: string) => void complaints.push({ at, says });
	const alphabet = asciiOnly ? 'ascii' : 'unicode';
	const data = field(body, 'data');
	if (!isObject(data)) return { complaints: [{ at: 'data', says: 'field required' }] };

	function text(
		of: unknown,
		at: string,
		name: string,
		rule: { required?: boolean; min?: number; max?: number; pattern?: RegExp; among?: ReadonlySet<string> },
	): string | null {
		const value = field(of, name);
		const where = `${at}.${name}`;
		if (value === undefined || value === null) {
			if (rule.required) complain(where, 'field required');
			return null;
		}
		if (typeof value !== 'string') {
			complain(where, 'input should be a string');
			return null;
		}
		const length = [...value].length;
		if (length < (rule.min ?? 0) || length > (rule.max ?? 10_000))
			complain(where, `should have ${rule.min ?? 0} to ${rule.max ?? 10_000} characters`);
		else if (rule.pattern && !rule.pattern.test(value))
			complain(where, `should match ${rule.pattern.source}`);
		else if (rule.among && !rule.among.has(value))
			complain(where, `should be one of ${[...rule.among].join(', ')}`);
		return value;
	}

	function flag(of: unknown, at: string, name: string): boolean {
		const value = field(of, name);
		if (value !== undefined && value !== null && typeof value !== 'boolean')
			complain(`${at}.${name}`, 'input should be a valid boolean');
		return value === true;
	}

	const name = text(data, 'data', 'name', { required: true, min: 3, max: 64, pattern: NAME[alphabet] });
	const description = text(data, 'data', 'description', {});
	const labels = field(data, 'labels');
	if (labels !== undefined && labels !== null && !isObject(labels))
		complain('data.labels', 'input should be an object');
	if (isObject(labels)) for (const label of Object.keys(labels)) text(labels, 'data.labels', label, {});
	const attributes = field(data, 'attributes');
	const isTexts = Array.isArray(attributes) && attributes.every((one) => typeof one === 'string');
	if (attributes !== undefined && attributes !== null && !isTexts)
		complain('data.attributes', 'input should be an array of strings');
	const skipExternal = flag(data, 'data', 'skip_external_voice');

	const samples = field(data, 'samples');
	const given: readonly unknown[] = Array.isArray(samples) ? samples : [];
	if (given.length !== 1) complain('data.samples', `should have exactly 1 element, not ${given.length}`);
	const [sample] = given;
	const at = 'data.samples[0]';
	let mimeType: string | null = null;
	let language: string | null = null;
	let itemId: string | null = null;
	if (sample !== undefined) {
		if (!isObject(sample)) complain(at, 'input should be an object');
		text(sample, at, 'filename', { required: true, min: 3, max: 255, pattern: FILENAME[alphabet] });
		mimeType = text(sample, at, 'mime_type', { required: true, among: MIME_TYPES });
		language = text(sample, at, 'lang_code', { required: true, among: LANGUAGES });
		text(sample, at, 'display_name', {});
		text(sample, at, 'description', {});
		itemId = text(sample, at, 'item_id', { min: 1, max: 36 });
		flag(sample, at, 'denoise');
		flag(sample, at, 'speech_normalization');
	}
	if (complaints.length > 0 || name === null || mimeType === null || language === null) return { complaints };
	return {
		order: {
			name,
			description,
			labels: isObject(labels) ? labels : null,
			attributes: isTexts ? attributes : null,
			skipExternal,
			sample: { itemId, mimeType, language },
		},
	};
}
