import { Stack, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** A cluster's own image and pull secret; null where the installation's image serves, or none. */
export interface OwnImage {
  bench_image: string | null;
  image_pull_secret: string | null;
}

/** Which image the measuring pods are made of, and with which Secret nodes may pull it. */
export function ImageFields({
  image,
  onChange,
  at,
}: {
  image: OwnImage;
  onChange: (image: OwnImage) => void;
  at: (pointer: string) => string | undefined;
}) {
  const { t } = useTranslation("clusters");
  return (
    <Stack>
      <TextInput
        label={t("bench_image")}
        description={t("bench_image_text")}
        placeholder={t("bench_image_default")}
        maxLength={512}
        spellCheck={false}
        value={image.bench_image ?? ""}
        error={at("/bench_image")}
        onChange={(event) =>
          onChange({ ...image, bench_image: event.currentTarget.value.trim() || null })
        }
      />
      <TextInput
        label={t("image_pull_secret")}
        description={t("image_pull_secret_text")}
        placeholder={t("image_pull_secret_none")}
        maxLength={253}
        spellCheck={false}
        value={image.image_pull_secret ?? ""}
        error={at("/image_pull_secret")}
        onChange={(event) =>
          onChange({ ...image, image_pull_secret: event.currentTarget.value.trim() || null })
        }
      />
    </Stack>
  );
}
