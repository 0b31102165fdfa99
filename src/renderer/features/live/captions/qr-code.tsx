import { encode } from 'uqr';
import styles from './guests-dialog.module.css';

/** White modules around the code, without which it is not found (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** A QR code of a text. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
	const { size, data } = encode(text, { ecc: 'M', border: QUIET_ZONE });
	const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
	return (
		<svg
			role="img"
			aria-label={label}
			className={styles.code}
			viewBox={`0 0 ${size} ${size}`}
			shapeRendering="crispEdges"
		>
			<path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
			<path fill="#000" d={dark.join('')} />
		</svg>
	);
}
