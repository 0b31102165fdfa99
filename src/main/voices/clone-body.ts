import { CloneRequest, SAMPLE_TYPES } from '#shared/protocol/clone-request.ts';
import { cut } from '#shared/protocol/json.ts';
import { tidyName, type VoiceDraft } from '#shared/voices/draft.ts';
import { sampleFilename } from '#shared/voices/media-type.ts';

type Described = Pick<
	VoiceDraft,
	'name' | 'language' | 'description' | 'labels' | 'attributes' | 'denoise' | 'normalise' | 'skipExternal'
>;

/** The name a sample goes by at the service. */
export function filenameOf(sample: { readonly name: string; readonly mimeType: string }): string {
	const type = SAMPLE_TYPES.find((known) => known === sample.mimeType);
	return type ? sampleFilename(sample.name, type) : '';
}

/** Null when a rule of the service is broken because the check of the form was skipped. Empty fields are left out. */
export function cloneRequestOf(
	described: Described,
	sample: { readonly name: string; readonly mimeType: string },
	itemId: string,
): CloneRequest | null {
	const { gender, ageGroup, mood } = described.labels;
	const labels = said({ gender: gender.trim(), age_group: ageGroup.trim(), mood: mood.trim() });
	const request = {
		data: {
			name: tidyName(described.name),
			...said({ description: described.description.trim() }),
			...(Object.keys(labels).length > 0 ? { labels } : {}),
			...(described.attributes.length > 0
				? { attributes: described.attributes.map((text) => text.trim()) }
				: {}),
			...(described.skipExternal ? { skip_external_voice: true } : {}),
			samples: [
				{
					filename: filenameOf(sample),
					mime_type: sample.mimeType,
					lang_code: described.language,
					display_name: cut(sample.name, 255),
					item_id: itemId,
					...(described.denoise ? { denoise: true } : {}),
					...(described.normalise ? { speech_normalization: true } : {}),
				},
			],
		},
	};
	const checked = CloneRequest.safeParse(request);
	return checked.success ? checked.data : null;
}

function said<Fields extends Record<string, string>>(fields: Fields): Partial<Fields> {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as Partial<Fields>;
}
