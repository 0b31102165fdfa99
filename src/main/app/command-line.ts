/** Text of `--help`. */
export const help = `Dragoman, a desktop interpreter.

  --api-url URL         REST base of the service (DRAGOMAN_API_URL)
  --s2s-url, --stt-url, --tts-url URL
                        its socket addresses
  --service NAME        service, local or sandbox (DRAGOMAN_SERVICE)
  --user-data-dir DIR   settings, ledger and logs (DRAGOMAN_USER_DATA)
  --models DIR          models of the local interpreter (DRAGOMAN_MODELS)
  --safe-mode           without caption window, graphics acceleration, recording and
                        prepared sessions; your settings are set aside for this run
  --smoke               checks what the app needs from Electron, writes smoke.json beside the
                        settings, and ends
  --log-level LEVEL     error, warn, info or debug (DRAGOMAN_LOG_LEVEL)
  --help, --version

The key comes from the app's own page or from DRAGOMAN_API_KEY (a token for voices from
DRAGOMAN_VOICE_TOKEN), never from an option: command lines can be read by others.
`;

/** What to print and end with, or null to open the app. */
export function answerAtOnce(argv: readonly string[], version: string): string | null {
	if (argv.includes('--help')) return help;
	return argv.includes('--version') ? `${version}\n` : null;
}
