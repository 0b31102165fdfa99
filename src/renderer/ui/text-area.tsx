import type { KeyboardEvent, ReactNode, Ref } from 'react';
import { TextField as AriaTextField, FieldError, Label, Text, TextArea } from 'react-aria-components';
import field from './field.module.css';
import styles from './text-area.module.css';

export interface TextAreaFieldProps {
	readonly label: string;
	/** The label is only for assistive technology; sighted users understand the field from the context. */
	readonly labelHidden?: boolean;
	readonly value: string;
	readonly onChange: (value: string) => void;
	/** Called for Enter alone, not while an input method composes. Without `onEnter` it begins a new line. */
	readonly onEnter?: () => void;
	/** Language of the typed text, BCP 47, which also sets its direction. */
	readonly lang?: string;
	readonly dir: 'ltr' | 'rtl' | 'auto';
	/** Initial number of lines; default 1. */
	readonly rows?: number;
	readonly placeholder?: string;
	readonly hint?: ReactNode;
	readonly error?: ReactNode;
	readonly isDisabled?: boolean;
	readonly ref?: Ref<HTMLTextAreaElement>;
}

/** A text box for sentences: as high as its text, up to a few lines. */
export function TextAreaField(props: TextAreaFieldProps) {
	function enter(event: KeyboardEvent): void {
		if (!props.onEnter || event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
		event.preventDefault();
		props.onEnter();
	}
	return (
		<AriaTextField
			className={field.field ?? ''}
			value={props.value}
			onChange={props.onChange}
			isInvalid={Boolean(props.error)}
			isDisabled={props.isDisabled ?? false}
			autoComplete="off"
			validationBehavior="aria"
			{...(props.labelHidden ? { 'aria-label': props.label } : {})}
		>
			{!props.labelHidden && <Label className={field.label ?? ''}>{props.label}</Label>}
			<TextArea
				className={`${field.input} ${styles.area} ${props.rows ? styles.tall : ''}`}
				rows={props.rows ?? 1}
				dir={props.dir}
				{...(props.lang ? { lang: props.lang } : {})}
				{...(props.onEnter ? { enterKeyHint: 'send' as const } : {})}
				onKeyDown={enter}
				{...(props.placeholder ? { placeholder: props.placeholder } : {})}
				{...(props.ref ? { ref: props.ref } : {})}
			/>
			{props.hint && (
				<Text slot="description" className={field.hint ?? ''}>
					{props.hint}
				</Text>
			)}
			<FieldError className={field.error ?? ''}>{props.error}</FieldError>
		</AriaTextField>
	);
}
