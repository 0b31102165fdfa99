import type { ReactNode, Ref } from 'react';
import { TextField as AriaTextField, FieldError, Input, Label, Text } from 'react-aria-components';
import styles from './field.module.css';

export interface TextFieldProps {
	readonly label: string;
	readonly value: string;
	readonly onChange: (value: string) => void;
	/** Called when the user leaves the field. */
	readonly onDone?: () => void;
	readonly hint?: ReactNode;
	/** The error message, shown at the field; with `keepsLines`, it replaces the hint. */
	readonly error?: ReactNode;
	/** Keeps two lines for the hint or the error, so that an error moves nothing. */
	readonly keepsLines?: boolean;
	/** A button inside the field, at its end. */
	readonly button?: ReactNode;
	readonly type?: 'text' | 'password' | 'url';
	readonly placeholder?: string;
	readonly isDisabled?: boolean;
	/** True for codes and addresses, which are written left to right in every interface language. */
	readonly code?: boolean;
	/** Language of the text, BCP 47, if it differs from the interface language; also sets the text direction. */
	readonly lang?: string;
	readonly dir?: 'ltr' | 'rtl';
	/** True if the content is not saved anywhere: Escape then does not leave the page. */
	readonly isUnsaved?: boolean;
	/** Focuses the field when it appears. */
	readonly takesCursor?: boolean;
	readonly ref?: Ref<HTMLInputElement>;
}

export function TextField(props: TextFieldProps) {
	const direction = props.code ? { dir: 'ltr' } : props.dir ? { dir: props.dir } : {};
	const input = (
		<Input
			className={styles.input ?? ''}
			{...(props.lang ? { lang: props.lang } : {})}
			{...direction}
			{...(props.placeholder ? { placeholder: props.placeholder } : {})}
			{...(props.ref ? { ref: props.ref } : {})}
		/>
	);
	const hint = props.hint && (
		<Text key="hint" slot="description" className={styles.hint ?? ''}>
			{props.hint}
		</Text>
	);
	const error = (
		<FieldError key="error" className={styles.error ?? ''}>
			{props.error}
		</FieldError>
	);
	return (
		<AriaTextField
			className={styles.field ?? ''}
			value={props.value}
			onChange={props.onChange}
			{...(props.onDone ? { onBlur: props.onDone } : {})}
			type={props.type ?? 'text'}
			isInvalid={Boolean(props.error)}
			isDisabled={props.isDisabled ?? false}
			autoFocus={props.takesCursor ?? false}
			autoComplete="off"
			spellCheck="false"
			validationBehavior="aria"
			{...(props.isUnsaved ? { 'data-unsaved': true } : {})}
		>
			<Label className={styles.label ?? ''}>{props.label}</Label>
			{props.button ? (
				<div className={styles.framed} {...direction}>
					{input}
					{props.button}
				</div>
			) : (
				input
			)}
			{props.keepsLines ? <div className={styles.kept}>{props.error ? error : hint}</div> : [hint, error]}
		</AriaTextField>
	);
}
