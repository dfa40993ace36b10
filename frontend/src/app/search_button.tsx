import { Button, Kbd, Loader, Modal } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { PartBoundary } from "~/ui/failed_part";
import { lazyPart } from "~/ui/lazy_part";

const SearchDialog = lazyPart(() => import("./search_dialog"), "default");

/** Opens the search of everything; so do `/` and Ctrl or Cmd with K, from wherever nobody types. */
export function SearchButton() {
  const { t } = useTranslation(["frame", "common"]);
  const [opened, { open, close }] = useDisclosure();
  useHotkeys([["/", open]]);
  useHotkeys([["mod+K", open]], []);
  return (
    <>
      <Button
        variant="default"
        c="dimmed"
        fw={400}
        px="xs"
        aria-label={t("search")}
        aria-keyshortcuts="/ Control+K Meta+K"
        leftSection={<IconSearch size={16} />}
        rightSection={<Kbd visibleFrom="sm">/</Kbd>}
        onClick={open}
        styles={{ section: { marginInline: 0 } }}
      >
        <span className="search-label">{t("search")}</span>
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={t("search")}
        size="lg"
        closeButtonProps={{ "aria-label": t("common:close") }}
      >
        <PartBoundary>
          <Suspense fallback={<Loader size="sm" />}>
            <SearchDialog onDone={close} />
          </Suspense>
        </PartBoundary>
      </Modal>
    </>
  );
}
