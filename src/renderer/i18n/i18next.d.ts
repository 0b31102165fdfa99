import 'i18next';
import type en from '#shared/i18n/en.json';

declare module 'i18next' {
	interface CustomTypeOptions {
		defaultNS: 'translation';
		returnNull: false;
		resources: { translation: typeof en };
	}
}
