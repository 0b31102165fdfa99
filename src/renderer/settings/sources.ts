import type { SettingName } from '#shared/settings/schema.ts';

/** The variable and the option that fix a setting from outside. */
export const sources: {
	readonly [Name in SettingName]?: { readonly variable: string; readonly option?: string };
} = {
	apiUrl: { variable: 'DRAGOMAN_API_URL', option: '--api-url' },
	s2sUrl: { variable: 'DRAGOMAN_S2S_URL', option: '--s2s-url' },
	sttUrl: { variable: 'DRAGOMAN_STT_URL', option: '--stt-url' },
	ttsUrl: { variable: 'DRAGOMAN_TTS_URL', option: '--tts-url' },
	logLevel: { variable: 'DRAGOMAN_LOG_LEVEL', option: '--log-level' },
	allowedHosts: { variable: 'DRAGOMAN_ALLOWED_HOSTS' },
	service: { variable: 'DRAGOMAN_SERVICE', option: '--service' },
};

export const KEY_VARIABLE = 'DRAGOMAN_API_KEY';
export const VOICE_TOKEN_VARIABLE = 'DRAGOMAN_VOICE_TOKEN';
