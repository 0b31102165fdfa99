import { z } from 'zod/mini';

/** What the system lets the captions over other windows do; the user is told what it does not. */
export const OverlayAbilities = z.lazy(() =>
	z.object({
		/** Above other windows, placed by us, without a frame; otherwise an ordinary window. */
		floats: z.boolean(),
		clickThrough: z.boolean(),
		/** Left out of screen shares: `partly` = not by programs that use ScreenCaptureKit. */
		hides: z.enum(['yes', 'partly', 'no']),
		/** Why it does not float. */
		because: z.nullable(z.enum(['wayland', 'browser'])),
	}),
);
export type OverlayAbilities = z.infer<typeof OverlayAbilities>;

export interface System {
	readonly shell: 'electron' | 'stand-in';
	/** As `process.platform` has it. */
	readonly platform: string;
	/** Windows use Wayland natively, not through XWayland. */
	readonly wayland: boolean;
}

/** Facts: ecosystem of Electron 45, `setContentProtection` and `setAlwaysOnTop`. */
export function abilitiesOf({ shell, platform, wayland }: System): OverlayAbilities {
	if (shell === 'stand-in') return { floats: false, clickThrough: false, hides: 'no', because: 'browser' };
	if (platform === 'linux' && wayland)
		return { floats: false, clickThrough: false, hides: 'no', because: 'wayland' };
	const hides = platform === 'win32' ? 'yes' : platform === 'darwin' ? 'partly' : 'no';
	return { floats: true, clickThrough: true, hides, because: null };
}

/** Whether Chromium uses Wayland: the user's switch decides, otherwise the session. */
export function usesWayland(env: Readonly<Record<string, string | undefined>>, ozone: string): boolean {
	if (ozone === 'x11') return false;
	if (ozone === 'wayland') return true;
	return env['XDG_SESSION_TYPE'] === 'wayland' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
}
