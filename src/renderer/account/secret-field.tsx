import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { Button } from '#renderer/ui/button.tsx';
import icon from '#renderer/ui/icon.module.css';
import { TextField, type TextFieldProps } from '#renderer/ui/text-field.tsx';

export interface SecretFieldProps extends Pick<TextFieldProps, 'label' | 'value' | 'onChange' | 'hint'> {
	readonly error?: TextFieldProps['error'];
	readonly keepsLines?: boolean;
	/** True while the secret is being sent; the field then hides it. */
	readonly isSent: boolean;
	readonly ref: NonNullable<TextFieldProps['ref']>;
}

const EYE =
	'M2.5 12s3.5-6.5 9.5-6.5S21.5 12 21.5 12s-3.5 6.5-9.5 6.5S2.5 12 2.5 12ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z';

/** A field for a key, hidden unless shown; it hides again when sent, left or opened. */
export function SecretField({ isSent, label, ...field }: SecretFieldProps) {
	const { t } = useTranslation();
	const [asked, setAsked] = useState(false);
	const shown = asked && !isSent;
	useEffect(() => {
		if (isSent) setAsked(false);
	}, [isSent]);
	const around = useRef<HTMLDivElement>(null);
	useEffect(() => {
		const hide = () => setAsked(false);
		const follow = ({ target }: FocusEvent) => {
			if (!(target instanceof Node && around.current?.contains(target))) hide();
		};
		window.addEventListener('blur', hide);
		document.addEventListener('focusin', follow);
		return () => {
			window.removeEventListener('blur', hide);
			document.removeEventListener('focusin', follow);
		};
	}, []);

	return (
		<div ref={around}>
			<TextField
				{...field}
				label={label}
				type={shown ? 'text' : 'password'}
				code
				button={
					<Button
						look="quiet"
						square
						aria-label={t(shown ? 'welcome.secretHide' : 'welcome.secretShow', { field: label })}
						onPress={() => setAsked(!shown)}
					>
						<svg aria-hidden="true" className={icon.icon} width={20} height={20} viewBox="0 0 24 24">
							<path d={shown ? `${EYE}M4 4l16 16` : EYE} />
						</svg>
					</Button>
				}
			/>
		</div>
	);
}
